import { BLOCK_REASONS } from "@svc/sdk/lists";
import type { ModerationItem } from "@svc/sdk/shapes";
import { ActForm } from "../kit/forms.tsx";
import type { ConsolePost, ConsoleVisit } from "../kit/visit.ts";
import { OPERATOR, typed, wordOf } from "./operator.tsx";

/* What operators decide of pictures: its names, its forms, and how it is taken back. */

export const QUEUE = `${OPERATOR}/moderation`;

/** `key` is the dashboard's letter; `undo` takes it back. */
export const VERBS = {
	lock: { name: "Lock", done: "Locked", key: "l", undo: "unlock" },
	unlock: { name: "Unlock", done: "Unlocked", key: "u", undo: "lock" },
	block: { name: "Block", done: "Blocked", key: "b", undo: "unblock" },
	unblock: { name: "Unblock", done: "Unblocked", key: "u", undo: "block" },
	nsfw: { name: "Flag", done: "Flagged", key: "n", undo: "not_nsfw" },
	not_nsfw: { name: "Unflag", done: "Unflagged", key: "n", undo: "nsfw" },
} as const;

export type Verb = keyof typeof VERBS;

export function isVerb(word: string): word is Verb {
	return Object.hasOwn(VERBS, word);
}

/** Whether it would change the picture. A block is the heavier one: it is lifted before a lock. */
export function applies(verb: Verb, { image, locked }: ModerationItem): boolean {
	const isBlocked = image.status === "blocked";
	switch (verb) {
		case "lock":
			return !locked;
		case "unlock":
			return locked && !isBlocked;
		case "block":
			return image.status === "ready";
		case "unblock":
			return isBlocked;
		case "nsfw":
			return !image.nsfw;
		default:
			return image.nsfw;
	}
}

interface VerbFormProps {
	readonly visit: ConsoleVisit;
	readonly action: string;
	readonly verb: Verb;
	readonly fields: Readonly<Record<string, string>>;
	/** How many pictures it is about, where that is known and more than one may be. */
	readonly count?: number | undefined;
	/** Which reason is chosen already. */
	readonly reason?: string | undefined;
}

/** One key does it, since it can be taken back; a block asks for the reason first. */
export function VerbForm({ visit, action, verb, fields, count, reason }: VerbFormProps) {
	const { name, key } = VERBS[verb];
	const isBlock = verb === "block";
	return (
		<ActForm visit={visit} action={action} act={verb} fields={fields}>
			{isBlock && <Reason value={reason} />}
			<button
				className={isBlock ? "danger slim" : "quiet slim"}
				type="submit"
				data-keys={key}
				{...(isBlock ? { "data-reasons": BLOCK_REASONS.join(",") } : { "data-now": "" })}
			>
				{count === undefined ? name : `${name} ${count}`}
			</button>
		</ActForm>
	);
}

export function Reason({ value }: { readonly value: string | undefined }) {
	return (
		<select name="reason" aria-label="Reason" required defaultValue={value ?? ""}>
			{value === undefined && <option value="">Reason</option>}
			{BLOCK_REASONS.map((one) => (
				<option key={one} value={one}>
					{wordOf(one)}
				</option>
			))}
		</select>
	);
}

/** What was decided of one picture or of many, for the page after it. */
export interface Decision {
	readonly verb: Verb;
	/** Each with what takes it back: the revision that it has now, and of a lifted block the reason that it had. */
	readonly done: readonly { readonly id: string; readonly revision: number; readonly reason?: string | undefined }[];
	/** What the service said of the others. */
	readonly failed: readonly string[];
	/** The file's name, of one. */
	readonly file?: string;
}

const DECIDED = "decided";

export async function leaveDecision(post: ConsolePost, decision: Decision): Promise<void> {
	await post.leave({ what: DECIDED, about: JSON.stringify(decision) });
}

export function decisionOf({ done }: Pick<ConsoleVisit, "done">): Decision | undefined {
	// Written by leaveDecision alone.
	return done?.what === DECIDED ? (JSON.parse(done.about ?? "") as Decision) : undefined;
}

interface DecidedProps {
	readonly visit: ConsoleVisit;
	readonly decision: Decision;
	/** The query of the list that one comes back to; undefined where one stays. */
	readonly back: string | undefined;
}

/** What was done, and the button that takes it back. */
export function Decided({ visit, decision, back }: DecidedProps) {
	const { verb, done, failed, file } = decision;
	return (
		<div className="notice decided">
			<p role="status">
				{VERBS[verb].done}: {file === undefined ? `${done.length} pictures` : <bdi>{file}</bdi>}.
				{failed.length > 0 && ` ${failed.length} stayed as they were: ${[...new Set(failed)].join(" ")}`}
			</p>
			<Undo visit={visit} decision={decision} back={back} />
		</div>
	);
}

function Undo({ visit, decision: { verb, done }, back }: DecidedProps) {
	const { undo } = VERBS[verb];
	// The owner of a picture reads why it is blocked: a reason is not made up.
	const able = done.filter(({ reason }) => undo !== "block" || reason !== undefined);
	const [first] = able;
	if (!first) return null;
	const many = { verb: undo, items: able.map((one) => [one.id, one.revision, one.reason ?? ""].join(":")).join(",") };
	const one = {
		...(back !== undefined && { back }),
		...(first.reason !== undefined && { reason: first.reason }),
		revision: String(first.revision),
		reopen_reports: "true",
	};
	const [action, act, fields] =
		done.length > 1 ? [QUEUE + (back ?? ""), "undo", many] : [`${QUEUE}/${first.id}`, undo, one];
	return (
		<ActForm visit={visit} action={action} act={act} fields={fields}>
			<button className="quiet slim" type="submit" data-keys="z" data-now="" data-wide="">
				Undo
			</button>
		</ActForm>
	);
}

/** Does to one picture what a form asks for, if it is still as the form's reader saw it. @throws ApiError */
export async function decide({ api: { moderation } }: ConsolePost, verb: Verb, id: string, asked: Asked) {
	const { reason, note, revision, reopens } = asked;
	switch (verb) {
		case "nsfw":
		case "not_nsfw":
			return await moderation.setNsfw(id, verb === "nsfw", { note, revision });
		case "block":
			return await moderation.block(id, { reason: reason ?? "", note, revision });
		case "lock":
			return await moderation.lock(id, { note, revision });
		default:
			return await moderation[verb](id, { note, revision, reopen_reports: reopens });
	}
}

interface Asked {
	readonly reason?: string | undefined;
	readonly note?: string | undefined;
	readonly revision?: number | undefined;
	readonly reopens?: boolean;
}

export function askedOf(post: ConsolePost): Asked {
	const revision = Number(typed(post, "revision") ?? Number.NaN);
	return {
		reason: typed(post, "reason"),
		note: typed(post, "note"),
		revision: Number.isInteger(revision) ? revision : undefined,
		reopens: post.form.get("reopen_reports") === "true",
	};
}
