/** Stands for a unit of an identifier that is already claimed, or of a mask. It is a noncharacter in Unicode. */
export const HIDDEN = 0xfffe;
