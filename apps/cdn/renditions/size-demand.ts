import { LeastRecent } from "@svc/base/pace/least-recent";

/** Pictures of an App whose sizes are made although nobody has asked for one of them since. */
const TRUSTED = 16;
/** Apps that are remembered; one that is forgotten is trusted again. */
const APPS_MAX = 10_000;

/**
 * Whether sizes are worth making ahead: an App that shows its pictures by width only would have three renditions of each made for nobody.
 * An App is trusted at first, and again whenever one of its sizes is asked for.
 */
export class SizeDemand {
	/** Pictures whose sizes were made since one was last asked for, by the number of the App. */
	readonly #unasked = new LeastRecent<number, number>(APPS_MAX);

	/** Somebody asked for a size. */
	asked(appPk: number): void {
		this.#unasked.delete(appPk);
	}

	/** Whether the sizes of one more picture are to be made. */
	takes(appPk: number): boolean {
		const unasked = this.#unasked.get(appPk) ?? 0;
		if (unasked >= TRUSTED) return false;
		this.#unasked.set(appPk, unasked + 1);
		return true;
	}
}
