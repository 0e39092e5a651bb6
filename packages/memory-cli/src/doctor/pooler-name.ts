/** Whether an address is one that hosting companies give their poolers. Says nothing about one with a plain name. */
export function looksPooled(url: string | null): boolean {
  if (url === null || !URL.canParse(url)) return false;
  const { hostname, port, searchParams } = new URL(url);
  const poolerHost = /-pooler\.|(?:^|\.)pooler\.|pgbouncer|supavisor/i.test(hostname);
  return poolerHost || port === "6432" || port === "6543" || searchParams.get("pgbouncer") === "true";
}
