export declare const DIMENSIONS: number;
export declare function embed(text: string): number[];
