export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement and answers its rows. */
export type Sql = (text: string, params?: readonly unknown[]) => Promise<readonly Row[]>;
