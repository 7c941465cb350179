/** A part of a picture, in pixels from its left and its top; `right` and `bottom` are the first beyond it. */
export interface Edges {
	readonly left: number;
	readonly top: number;
	readonly right: number;
	readonly bottom: number;
}
