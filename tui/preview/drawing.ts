/** A picture as it goes to the terminal. */
export type Drawing =
	/** Lines of styled characters. */
	| { readonly kind: "cells"; readonly lines: readonly string[]; readonly columns: number; readonly rows: number }
	/** A PNG that the terminal draws itself, over so many cells. */
	| { readonly kind: "png"; readonly png: Uint8Array; readonly columns: number; readonly rows: number };

/** A drawing, and the cell of its upper left corner, counted from 0. */
export interface Placed {
	readonly drawing: Drawing;
	readonly row: number;
	readonly column: number;
}
