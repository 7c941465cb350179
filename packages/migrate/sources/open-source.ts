import { UsageError } from "@svc/base/processes/exit";
import type { ImageSource, SourceOptions } from "./source.ts";

/** What a word names; each place is loaded only when it is meant. @throws UsageError, LocalError */
export async function openSource(options: SourceOptions): Promise<ImageSource> {
	const [, place = ""] = /^([a-z0-9-]+)(?::|$)/.exec(options.from) ?? [];
	refuseUnused(place, options);
	switch (place) {
		case "s3":
			return (await import("./s3.ts")).openS3(options);
		case "cloudinary":
			if (options.from !== place) throw secretInLine();
			return (await import("./cloudinary.ts")).openCloudinary(options);
		case "cloudflare-images":
			return (await import("./cloudflare.ts")).openCloudflare(options);
		case "supabase":
			return (await import("./supabase.ts")).openSupabase(options);
		case "uploadcare":
			return (await import("./uploadcare.ts")).openUploadcare(options);
		default:
			return await (await import("./manifest.ts")).openManifest(options);
	}
}

/** What is in a command line is in the list of processes and in the shell's history. */
function secretInLine(): UsageError {
	return new UsageError(
		"The address of Cloudinary is read from CLOUDINARY_URL, never from the command line: others could see the secret in it.",
		"svc migrate cloudinary",
	);
}

const TAKES_ENDPOINT = ["s3", "cloudinary", "cloudflare-images", "uploadcare"];

/** A flag that is passed over in silence is taken for one that was heard. */
function refuseUnused(place: string, { endpoint, publicUrl }: SourceOptions): void {
	if (publicUrl !== undefined && place !== "s3") throw new UsageError("--public-url is for a bucket: s3://name.");
	if (endpoint !== undefined && !TAKES_ENDPOINT.includes(place)) {
		throw new UsageError(`--endpoint is for ${TAKES_ENDPOINT.join(", ")}.`);
	}
}
