import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Real pictures live outside the repository; `SVC_TEST_CORPUS` says where. */
export const corpusDir: string | undefined = process.env.SVC_TEST_CORPUS || undefined;

/** For the titles of tests that need the corpus: a run without it says so. */
export const corpusNote = corpusDir ? "" : " (SKIPPED: SVC_TEST_CORPUS is not set)";

/** True where corpus tests must be skipped. With CI set, a missing corpus fails instead. */
export const withoutCorpus = corpusDir === undefined && process.env.CI !== "true";

/** The pictures of the corpus itself, in order: a folder of it holds another collection. */
export async function corpusNames(): Promise<readonly string[]> {
	if (!corpusDir) return [];
	const entries = await readdir(corpusDir, { withFileTypes: true });
	return entries
		.filter((entry) => !entry.isDirectory() && !entry.name.endsWith(".tsv"))
		.map(({ name }) => name)
		.sort();
}

export async function corpus(name: string): Promise<Uint8Array<ArrayBuffer>> {
	if (!corpusDir) throw new Error("SVC_TEST_CORPUS is not set, and with CI=true that is a failure");
	return new Uint8Array(await readFile(join(corpusDir, name)));
}
