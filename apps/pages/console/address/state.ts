import { PARAMETERS } from "@svc/sdk/transform-parameters";

/* What the builder of a picture's addresses is set to: the query of the picture's page, under the names of the transform host. */

/** A parameter of the transform host, as the SDK's table has it. */
export interface TableParameter {
	readonly kind: string;
	/** Of a choice. */
	readonly values?: readonly (string | number | true)[];
	/** Of a number. */
	readonly min?: number;
	readonly max?: number;
	readonly decimals?: number;
	/** What may be said in place of a number, or of a point. */
	readonly words?: readonly string[];
	readonly usual?: string | number;
	readonly unit?: string;
}

/** The table as it is when somebody asks: a parameter that comes to it needs nothing here. */
export function parameterTable(): readonly (TableParameter & { readonly name: string })[] {
	return Object.entries<TableParameter>(PARAMETERS).map(([name, of]) => ({ name, ...of }));
}

export type TypedValues = Readonly<Record<string, string>>;

export interface AddressState {
	/** What was typed, by the name of a parameter. */
	readonly parameters: TypedValues;
	/** The name of a preset, which then is all that counts. */
	readonly preset: string | undefined;
	/** For how long an address is signed; undefined where nobody asked for one yet. */
	readonly expiresIn: string | undefined;
}

export function stateOf({ searchParams }: URL): AddressState {
	const typed = parameterTable().map(({ name }) => [name, searchParams.get(name)?.trim() ?? ""] as const);
	return {
		parameters: Object.fromEntries(typed.filter(([, text]) => text !== "")),
		preset: searchParams.get("preset") || undefined,
		expiresIn: searchParams.get("expires_in") || undefined,
	};
}

/** The query of a picture's page with this state, behind what says whence one came. */
export function withState(query: string, { parameters, preset, expiresIn }: Partial<AddressState>): string {
	const all = new URLSearchParams(query);
	for (const [name, text] of Object.entries(parameters ?? {})) all.set(name, text);
	if (preset !== undefined) all.set("preset", preset);
	if (expiresIn !== undefined) all.set("expires_in", expiresIn);
	const text = all.toString();
	return text && `?${text}`;
}

/** Pixels of the longer side of the small picture on which a point is chosen. */
const SPOT_SIDE = 176;

export function spotOf({ width, height }: { readonly width: number; readonly height: number }) {
	const scale = SPOT_SIDE / Math.max(width, height);
	return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * What a form without a script has sent, as it would be written: without what was left empty or goes without saying, and with the place at which
 * a picture was clicked as a point. Undefined where it is written so already.
 */
export function tidied(url: URL, image: { readonly width: number; readonly height: number }): string | undefined {
	const query = new URLSearchParams(url.searchParams);
	const spot = spotOf(image);
	for (const { name, usual } of parameterTable()) {
		const [x, y] = [Number(query.get(`${name}.x`)), Number(query.get(`${name}.y`))];
		query.delete(`${name}.x`);
		query.delete(`${name}.y`);
		// By the keyboard a picture is clicked at its very corner: nobody means that.
		if (x > 0 || y > 0) query.set(name, `${shareOf(x, spot.width)},${shareOf(y, spot.height)}`);
		const text = query.get(name);
		if (text?.trim() === "" || text === String(usual)) query.delete(name);
	}
	if (query.get("preset") === "") query.delete("preset");
	if (query.size === url.searchParams.size && String(query) === String(url.searchParams)) return undefined;
	const text = query.toString();
	return url.pathname + (text && `?${text}`);
}

function shareOf(pixels: number, side: number): number {
	return Math.round(Math.min(1, Math.max(0, pixels / side)) * 1_000) / 1_000;
}
