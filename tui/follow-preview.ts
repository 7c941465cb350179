import type { DashboardOptions } from "./options.ts";
import { coloursOf } from "./preview/colours.ts";
import { previewFor } from "./previews.ts";
import type { Preview, State } from "./state/model.ts";
import { wantedPreview } from "./state/preview.ts";

/** Holding a key down passes many images; only the one that it stops at is fetched. */
const REST_MS = 120;

interface FollowOptions extends Pick<DashboardOptions, "management" | "fetch" | "env"> {
	/** Aborted when the dashboard closes: a picture that is still being fetched would keep the process alive. */
	readonly stopped: AbortSignal;
	took(preview: Preview): void;
}

/** Fetches the picture that the state shows, once the cursor has come to rest. */
export function followPreview(options: FollowOptions): (state: State) => void {
	let underWay: string | undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let last = new AbortController();
	const colours = coloursOf(options.env, true);
	const giveUp = () => {
		clearTimeout(timer);
		last.abort();
		underWay = undefined;
	};
	options.stopped.addEventListener("abort", giveUp, { once: true });
	return (state) => {
		const wanted = wantedPreview(state);
		if (wanted === undefined || wanted.key === underWay) return;
		giveUp();
		// Back at the one that is shown: another one would take its place.
		if (wanted.key === state.preview?.key) return;
		underWay = wanted.key;
		last = new AbortController();
		const { signal } = last;
		const load = async () => {
			const preview = await previewFor(wanted, { ...options, colours, signal }).catch(() => undefined);
			if (preview === undefined || signal.aborted) return;
			underWay = undefined;
			options.took(preview);
		};
		timer = setTimeout(load, REST_MS);
	};
}
