import { measured, unmeasured, type Figure, type Place, type Row } from "../src/result/row.js";

const PLACE: Place = { case: "forget", store: "Postgres", size: 1000, run: 1 };

export function aRow(figure: Partial<Figure> = {}, place: Partial<Place> = {}): Row {
  return measured({ ...PLACE, ...place }, { work: "forget of 10", unit: "ms", ours: 4, ...figure });
}

export function aFailure(why: string, place: Partial<Place> = {}): Row {
  return unmeasured({ ...PLACE, ...place }, "failed", why);
}
