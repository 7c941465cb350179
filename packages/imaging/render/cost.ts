/**
 * What a parameter adds to the price of a rendition beside reading and writing its pixels, as it was seen with photographs; the bytes are an
 * upper bound.
 */
export interface Cost {
	/** For each pixel of the rendition. Memory of one step is free again when the next one begins. */
	readonly bytes: number;
	/** Processor time for a megapixel of it. */
	readonly ms: number;
	/** Whether its step sees decoded pixels, of which two pictures are held then. */
	readonly decodes: boolean;
}

/** What only says which pixels are read, where they lie, or how they are written: render-price.ts counts those. */
export const FREE: Cost = { bytes: 0, ms: 0, decodes: false };
/** A look at each decoded pixel, and no more memory than that of the picture. */
export const LOOK: Cost = { bytes: 0, ms: 0, decodes: true };
