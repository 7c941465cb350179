/** A rendition that the service has made before, and what it answers with. */
export interface KeptRendition {
	readonly url: URL;
	readonly bytes: Uint8Array;
	readonly headers: Readonly<Record<string, string>>;
}

/** Between two widths, the one whose rendition comes closest to the wanted size. */
export async function keptRendition(address: string, wantedBytes: number): Promise<KeptRendition> {
	let [low, high] = [50, 2_000];
	let found: KeptRendition | undefined;
	while (high - low > 4) {
		const width = Math.round((low + high) / 2);
		const url = new URL(`${address}?w=${width}`);
		const answer = await fetch(url);
		const bytes = new Uint8Array(await answer.arrayBuffer());
		found = { url, bytes, headers: ownHeaders(answer) };
		if (bytes.length < wantedBytes) low = width;
		else high = width;
	}
	if (!found) throw new Error("no rendition was made");
	return found;
}

/** Without what every server adds by itself. */
export function ownHeaders({ headers }: Response): Record<string, string> {
	const added = new Set(["date", "connection", "keep-alive", "content-length", "transfer-encoding"]);
	return Object.fromEntries([...headers].filter(([name]) => !added.has(name)));
}
