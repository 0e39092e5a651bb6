import type { NumberMatch, NumberSite } from "./number-site.js";

const OPEN = 0x28;
const CLOSE = 0x29;

/** The match with the brackets that it opens or closes halfway, so that none is left without its other half. */
export function withBrackets(site: NumberSite, start: number, last: number): NumberMatch | null {
  const { view, groups } = site;
  const match = site.match(last, start);
  if (match === null) return null;
  let open = 0;
  let unopened = 0;
  for (let index = start; index < match.end; index++) {
    if (view.at(index) === OPEN) open++;
    else if (view.at(index) === CLOSE && open > 0) open--;
    else if (view.at(index) === CLOSE) unopened++;
  }
  const opens = unopened === 1 && view.at(start - 1) === OPEN ? 1 : 0;
  const closes = open === 1 && view.at(groups.end(last)) === CLOSE ? 1 : 0;
  return { last, start: start - opens, end: match.end + closes };
}
