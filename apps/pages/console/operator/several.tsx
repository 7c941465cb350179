import { ApiError } from "@svc/sdk/failure";
import { type PageResult, redirect } from "../../kit/visit.ts";
import type { ConsolePost, ConsoleVisit } from "../kit/visit.ts";
import { askedOf, type Decision, decide, isVerb, leaveDecision, QUEUE, type Verb, VerbForm } from "./deeds.tsx";
import { once, typed } from "./operator.tsx";

/* What is decided of many pictures at once, and how that is taken back. */

interface ManyProps {
	readonly visit: ConsoleVisit;
	/** Apart by commas. Empty: a script says them as soon as something is marked, and until then nothing of this is shown. */
	readonly ids: string;
	readonly count: number | undefined;
}

const OF_MANY = ["lock", "block", "unlock", "unblock", "nsfw", "not_nsfw"] as const satisfies readonly Verb[];

export function ManyDeeds({ visit, ids, count }: ManyProps) {
	const query = new URLSearchParams(visit.url.searchParams);
	query.delete("ids");
	const action = query.size > 0 ? `${QUEUE}?${query}` : QUEUE;
	return (
		<div className={ids === "" ? "acts marked" : "acts"} {...(ids === "" && { "data-wide": "" })}>
			{OF_MANY.map((verb) => (
				<VerbForm key={verb} visit={visit} action={action} verb={verb} fields={{ ids }} count={count} />
			))}
		</div>
	);
}

/** One call, in which each picture is done for itself. */
export async function actOnMany(post: ConsolePost, verb: Verb): Promise<PageResult> {
	const ids = typed(post, "ids")?.split(",") ?? [];
	const { reason, note } = askedOf(post);
	const { data, errors } = await post.api.moderation.batch(ids, verb, { reason, note }, once(post));
	const done = data.flatMap((one) => {
		if (!("revision" in one)) return [];
		// The newest entry is this one; the one before says why it was blocked.
		const before =
			verb === "unblock" ? one.actions.slice(1).find(({ action }) => action === "block")?.reason : undefined;
		return [{ id: one.id, revision: one.revision, reason: before ?? undefined }];
	});
	await leaveDecision(post, { verb, done, failed: errors.map(({ error }) => error.message) });
	return redirect(post.url.pathname + post.url.search);
}

/** So many calls are under way at once. */
const AT_ONCE = 10;
const MOST = 100;

/** Each picture by itself, if nobody has changed it since. */
export async function takeBack(post: ConsolePost): Promise<PageResult> {
	const verb = typed(post, "verb") ?? "";
	const items = (typed(post, "items") ?? "").split(",").slice(0, MOST);
	if (!isVerb(verb)) return redirect(QUEUE);
	const [done, failed]: [Decision["done"][number][], string[]] = [[], []];
	const one = async (item: string) => {
		const [id = "", revision = "", reason] = item.split(":");
		const asked = { reason, revision: Number(revision) || 0, reopens: true };
		const now = await decide(post, verb, id, asked).catch((cause: unknown) => {
			if (!(cause instanceof ApiError) || cause.status >= 500) throw cause;
			failed.push(cause.message);
		});
		if (now) done.push({ id, revision: now.revision, reason: now.blocked_reason ?? undefined });
	};
	for (let from = 0; from < items.length; from += AT_ONCE)
		await Promise.all(items.slice(from, from + AT_ONCE).map(one));
	await leaveDecision(post, { verb, done, failed });
	return redirect(post.url.pathname + post.url.search);
}
