import type { App } from "@svc/sdk/shapes";
import { type Text, usePlain } from "../../kit/text.ts";

interface NewsProps {
	readonly app: Pick<App, "id">;
	/** Where what is new is shown. */
	readonly here: string;
	/** What is counted of what happens: images that are in the list of this screen, or whatever it is. */
	readonly count: "images" | "events";
	/** `{n}` stands for how much there is. */
	readonly text: Text;
}

/** Says that there is something new, and leads to it: the list itself does not move under a reader. `scripts/live.js` shows it. */
export function News({ app, here, count, text }: NewsProps) {
	const said = usePlain()(text);
	return (
		<p className="news" hidden data-live="link" data-feed={feedOf(app)} data-count={count} data-text={said}>
			<a className="button quiet slim" href={here}>
				{said}
			</a>
		</p>
	);
}

/** Where `scripts/live.js` waits for what happens to an App. */
export function feedOf({ id }: Pick<App, "id">): string {
	return `/console/${id}/live`;
}
