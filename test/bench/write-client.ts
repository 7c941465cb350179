import { answerParent } from "./child.ts";

/* Changes images without pause: one writer for each. */

export interface Writing {
	readonly urls: readonly string[];
	readonly headers: Readonly<Record<string, string>>;
	readonly seconds: number;
}

/** How many changes were answered. @throws Error for one that was not made */
async function write({ urls, headers, seconds }: Writing): Promise<number> {
	const endMs = performance.now() + seconds * 1_000;
	let made = 0;
	const writer = async (url: string) => {
		while (performance.now() < endMs) {
			const body = JSON.stringify({ caption: `change ${made}` });
			const answer = await fetch(url, {
				...{ method: "PATCH", body, headers: { ...headers, "Content-Type": "application/json" } },
			});
			if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
			await answer.arrayBuffer();
			made += 1;
		}
	};
	await Promise.all(urls.map(writer));
	return made;
}

answerParent(write);
