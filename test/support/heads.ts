/**
 * The addresses of a service at which a HEAD is answered otherwise than a GET: with another status, or with a length that its GET has not
 * (RFC 9110, 8.6).
 */
export async function differingHeads(addresses: readonly string[], headers: Readonly<Record<string, string>> = {}) {
	const differing: string[] = [];
	for (const address of addresses) {
		for (const coding of ["identity", "gzip"]) {
			const ask = (method: string) =>
				fetch(address, {
					method,
					headers: { ...headers, "Accept-Encoding": coding },
					redirect: "manual",
					decompress: false,
				});
			const [get, head] = [await ask("GET"), await ask("HEAD")];
			const bytes = (await get.arrayBuffer()).byteLength;
			const said = head.headers.get("content-length") ?? bytes;
			if (get.status === head.status && Number(said) === bytes) continue;
			differing.push(`${address} (${coding}): ${get.status} with ${bytes} bytes, HEAD ${head.status} with ${said}`);
		}
	}
	return differing;
}

/** The addresses of a page's own site that it leads to. */
export async function linksOf(page: string): Promise<readonly string[]> {
	const text = await (await fetch(page)).text();
	const found = [...text.matchAll(/(?:href|src)="([^"#]+)/g)].map(([, link = ""]) => new URL(link, page).href);
	return found.filter((link) => new URL(link).origin === new URL(page).origin);
}
