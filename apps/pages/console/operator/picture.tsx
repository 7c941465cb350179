import { type PageResult, redirect } from "../../kit/visit.ts";
import type { ConsolePost, ConsoleVisit, Refused, Screen, ScreenAct } from "../kit/visit.ts";
import { Card, cardOf } from "./card.tsx";
import { askedOf, decide, leaveDecision, QUEUE, VERBS, type Verb } from "./deeds.tsx";
import { operatorPage, typed } from "./operator.tsx";

/* One picture of the queue by itself: all that is said of it, and what can be done. */

const verbs = Object.keys(VERBS).map(
	(verb) => [verb, (post) => act(post, verb as Verb)] as const satisfies [string, ScreenAct],
);

export const moderatedScreen: Screen = {
	path: "/operator/moderation/:image",
	get: showPicture,
	acts: { ...(Object.fromEntries(verbs) as Record<Verb, ScreenAct>), dismiss, delete: remove },
};

/** The picture itself, whatever became of it: the browser gets the bytes, and no script a way to ask the API. */
export const previewScreen: Screen = { path: "/operator/moderation/:image/preview", get: sendPreview };

async function showPicture(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const item = await visit.api.moderation.get(idOf(visit));
	const { filename } = item.image;
	return operatorPage(visit, {
		screen: "moderation",
		title: filename,
		heading: (
			<div className="heading">
				<a className="back" href={QUEUE} data-keys="Escape">
					← Moderation
				</a>
				<h1>
					<bdi>{filename}</bdi>
				</h1>
			</div>
		),
		scripts: ["copy", "moderate"],
		// The card says it.
		done: <></>,
		children: (
			<article {...cardOf(item)} aria-label={filename}>
				<Card visit={visit} item={item} back={undefined} refused={refused} />
			</article>
		),
	});
}

function idOf({ params }: ConsoleVisit): string {
	return params.image ?? "";
}

/** What a browser has to know of the bytes; nothing else of the answer goes on. */
const KEPT = ["content-type", "content-length", "content-disposition", "content-security-policy"];

/** How it is drawn. */
const DRAWN = ["w", "h", "format"];

async function sendPreview(visit: ConsoleVisit): Promise<Response> {
	const { fetch, addresses, url, request } = visit;
	const query = new URLSearchParams([...url.searchParams].filter(([name]) => DRAWN.includes(name)));
	const path = `/v1/moderation/images/${encodeURIComponent(idOf(visit))}/preview`;
	const answer = await fetch(`${addresses.base}${path}${query.size > 0 ? `?${query}` : ""}`, {
		signal: request.signal,
	});
	const headers = new Headers({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
	if (!answer.ok) {
		await answer.body?.cancel();
		return new Response(null, { status: answer.status, headers });
	}
	for (const name of KEPT) headers.set(name, answer.headers.get(name) ?? "");
	return new Response(answer.body, { headers });
}

async function act(post: ConsolePost, verb: Verb): Promise<PageResult> {
	const id = idOf(post);
	const asked = askedOf(post);
	const { revision, image } = await decide(post, verb, id, asked);
	const reason = VERBS[verb].undo === "block" ? typed(post, "was") : undefined;
	await leaveDecision(post, { verb, done: [{ id, revision, reason }], failed: [], file: image.filename });
	return leaveTo(post);
}

/** To the list that one came from, or where one was. Its query alone is sent along, so that no form leads elsewhere. */
function leaveTo(post: ConsolePost): PageResult {
	const back = post.form.get("back");
	return redirect(back === undefined ? `${QUEUE}/${idOf(post)}` : queueAt(back));
}

function queueAt(query: string): string {
	const asked = new URLSearchParams(query);
	return asked.size > 0 ? `${QUEUE}?${asked}` : QUEUE;
}

/** All of its reports that were shown. */
async function dismiss(post: ConsolePost): Promise<PageResult> {
	for (const id of typed(post, "reports")?.split(",") ?? []) await post.api.moderation.reports.resolve(id, "dismissed");
	await post.leave({ what: "Its reports are dismissed." });
	return leaveTo(post);
}

async function remove(post: ConsolePost): Promise<PageResult> {
	await post.api.moderation.delete(idOf(post));
	await post.leave({ what: "Deleted." });
	return redirect(QUEUE);
}
