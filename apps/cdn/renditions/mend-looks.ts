import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Image } from "@svc/images/images";
import type { Asker, LookedAt, MendLooker } from "@svc/images/ports";
import { ALL_MENDS, type FoundMends, MENDS } from "@svc/images/transform/mends";
import type { Originals } from "../cache/kept-originals.ts";
import type { AnalysisSearches } from "./analysis.ts";

/** An image, and what is known of its picture. */
export interface Pictured {
	readonly image: Image;
	readonly mends: FoundMends | undefined;
	/** Names of its forms that are asked for often. */
	readonly compact?: readonly string[] | undefined;
}

interface MendLooksDeps {
	readonly masters: Pick<Originals, "find">;
	readonly analysis: Pick<AnalysisSearches, "findIn">;
}

const AT_LEISURE: Pick<Asker, "signal"> = { signal: new AbortController().signal };
/** Some hundred bytes each. */
const MAX_REMEMBERED = 4_096;

/** Looks at the heads of masters, for whether what was made of them before may be wrong. */
export class MendLooks implements MendLooker {
	readonly #deps: MendLooksDeps;
	/** By blob key, for as long as the database does not tell it. */
	readonly #known = new LeastRecent<string, FoundMends>(MAX_REMEMBERED);

	constructor(deps: MendLooksDeps) {
		this.#deps = deps;
	}

	/** Of an image as it was read. */
	known({ blobKey }: Image, read: FoundMends | undefined): FoundMends | undefined {
		return read?.upTo === MENDS.length ? read : (this.#known.get(blobKey) ?? read);
	}

	async find({ blobKey, format, width, height }: LookedAt, asker = AT_LEISURE): Promise<FoundMends | undefined> {
		const blob = await this.#deps.masters.find(blobKey);
		const found = blob && (await this.#deps.analysis.findIn({ blob, format, width, height }, blobKey, "mends", asker));
		if (found) this.note(blobKey, found);
		return found;
	}

	/** As if all mends concerned it where it cannot be looked at now: bytes that may differ are then never under one name. */
	async findOrAll(image: Image, asker: Asker): Promise<FoundMends> {
		return (await this.find(image, asker)) ?? ALL_MENDS;
	}

	/** What somebody else has found out. */
	note(blobKey: string, found: FoundMends): void {
		this.#known.set(blobKey, found);
	}
}
