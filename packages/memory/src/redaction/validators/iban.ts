/** How long the IBANs of each country are (SWIFT, IBAN Registry, ISO 13616). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27
  GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27
  MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ST25 SV28
  TL23 TN24 TR26 UA29 VA22 VG24 XK20`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** How many characters an IBAN of the country with these two letters has; 0 if it has none. */
export function ibanLength(country: string): number {
  return LENGTHS.get(country) ?? 0;
}

/** Whether ASCII characters in upper case without spaces are an IBAN: its country's length, check digits by mod 97-10. */
export function isIban(text: string): boolean {
  if (text.length !== ibanLength(text.slice(0, 2)) || !/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(text)) return false;
  let remainder = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
