import { passesLuhn } from "./luhn.js";

interface Network {
  readonly from: number;
  readonly to: number;
  readonly lengths: readonly number[];
}

/** Leading six digits and lengths by network (ISO/IEC 7812; the ranges that the networks publish; RuPay by NPCI). */
const NETWORKS: readonly Network[] = [
  { from: 400000, to: 499999, lengths: [13, 16, 19] }, // Visa
  { from: 510000, to: 559999, lengths: [16] }, // Mastercard
  { from: 222100, to: 272099, lengths: [16] }, // Mastercard, second range
  { from: 340000, to: 349999, lengths: [15] }, // American Express
  { from: 370000, to: 379999, lengths: [15] },
  { from: 300000, to: 305999, lengths: [14] }, // Diners Club
  { from: 360000, to: 369999, lengths: [14] },
  { from: 380000, to: 399999, lengths: [14] },
  { from: 352800, to: 358999, lengths: [16] }, // JCB
  { from: 601100, to: 601199, lengths: [16, 19] }, // Discover
  { from: 644000, to: 659999, lengths: [16, 19] },
  { from: 600000, to: 609999, lengths: [16] }, // RuPay
  { from: 508500, to: 508999, lengths: [16] },
  { from: 652100, to: 653199, lengths: [16] },
  { from: 817200, to: 820199, lengths: [16] },
  { from: 620000, to: 629999, lengths: [16, 17, 18, 19] }, // UnionPay
  { from: 500000, to: 508499, lengths: [13, 14, 15, 16, 17, 18, 19] }, // Maestro
  { from: 560000, to: 589999, lengths: [13, 14, 15, 16, 17, 18, 19] },
];

export const CARD_LENGTHS: readonly number[] = [13, 14, 15, 16, 17, 18, 19];

/** Whether ASCII digits are a payment card number: a network's prefix with that network's length, and Luhn. */
export function isCard(digits: string): boolean {
  const prefix = Number(digits.slice(0, 6));
  return (
    NETWORKS.some(({ from, to, lengths }) => prefix >= from && prefix <= to && lengths.includes(digits.length)) &&
    passesLuhn(digits)
  );
}
