/** Words after the `@` of UPI addresses in use (NPCI, list of members; it grows, so a label opens the rule to any word). */
const PROVIDERS: ReadonlySet<string> = new Set(
  `upi okaxis okhdfcbank okicici oksbi ybl ibl axl apl yapl rapl paytm ptaxis pthdfc ptsbi ptyes pty freecharge ikwik
  airtel airtelpaymentsbank jio jiopay postbank icici hdfcbank sbi axisbank axisb kotak kotak811 barodampay pnb cnrb
  unionbank unionbankofindia boi idfcbank idfcfirst indus induspay federal fbl rbl yesbank yespay hsbc citi citigold sc
  dbs dlb kbl kvb tmb uco indianbank iob mahb psb aubank equitas ujjivan bandhan csbpay fam fampay jupiteraxis naviaxis
  slc slice superyes timecosmos tapicici waaxis wahdfcbank waicici wasbi amazonpay abfspay goaxb yescred axisgo pockets
  nsdl ezeepay myicici imobile payzapp s2b shriramhdfcbank oneyes pingpay dmb zoicici`.split(/\s+/),
);

export function isKnownProvider(word: string): boolean {
  return PROVIDERS.has(word.toLowerCase());
}
