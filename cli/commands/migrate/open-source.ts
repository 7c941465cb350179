import type { Source, SourceOptions } from "./source.ts";

/** What a word names; each place is loaded only when it is meant. @throws UsageError, LocalError */
export async function openSource(options: SourceOptions): Promise<Source> {
	if (options.from.startsWith("s3:")) return (await import("./sources/s3.ts")).openS3(options);
	return await (await import("./sources/manifest.ts")).openManifest(options);
}
