import type { ModerationItem } from "@svc/sdk/shapes";
import type { ModeratedThing } from "../state/things.ts";
import { ageText, bytesText } from "../text.ts";
import { named, type Section, screenOf, type Tone } from "./describe.ts";

export const moderation = screenOf<ModeratedThing>({
	object: "moderation_item",
	columns: [
		{ title: "State", width: 16, text: (item) => stateOf(item)[0], tone: (item) => stateOf(item)[1] },
		{ title: "Rep.", width: 4, text: ({ reports_count }) => String(reports_count) },
		{ title: "Reason", width: 14, text: ({ reports }) => reports[0]?.reason ?? "—" },
		{ title: "File", text: ({ image }) => `${image.nsfw ? "[nsfw] " : ""}${image.filename}` },
		{ title: "Age", width: 8, text: ({ image }, nowMs) => ageText(image.created_at, nowMs) },
		{ title: "Size", width: 8, more: true, text: ({ image }) => bytesText(image.bytes) },
		{ title: "Pixels", width: 11, more: true, text: ({ image }) => `${image.width}×${image.height}` },
		{ title: "App", width: 24, more: true, text: ({ app_name, image }) => app_name ?? image.app_id },
		{ title: "Note", width: 40, more: true, text: ({ reports }) => reports[0]?.note ?? "" },
	],
	empty: "No image is in this queue. s shows the next queue, r looks again.",
	sections,
});

/** A sign and a word, so that no colour is needed to tell them apart. */
export function stateOf({
	locked,
	blocked_reason,
	image,
}: ModerationItem): readonly [text: string, tone: Tone | undefined] {
	if (image.status === "blocked") return [`⛒ ${blocked_reason ?? "blocked"}`, "danger"];
	if (locked) return ["▣ locked", "warn"];
	if (image.status !== "ready") return [`… ${image.status}`, "accent"];
	return ["○ open", undefined];
}

function sections(item: ModeratedThing, nowMs: number): readonly Section[] {
	const reports = item.reports.map(({ reason, note, email, created_at }): [string, string] => [
		`${ageText(created_at, nowMs)}`,
		`${reason}${note === null ? "" : `: ${note}`}${email === null ? "" : ` (${email})`}`,
	]);
	const actions = item.actions.map(({ action, reason, note, actor, actor_email, created_at }): [string, string] => [
		ageText(created_at, nowMs),
		`${action}${reason === null ? "" : ` for ${reason}`} by ${actor_email ?? actor}${note === null ? "" : `: ${note}`}`,
	]);
	return [
		summary(item, nowMs),
		{ title: `Open reports: ${item.reports_count}`, rows: reports },
		{ title: `History: ${item.actions.length}`, rows: actions },
	];
}

function summary({ image, locked, blocked_reason, revision, app_name }: ModeratedThing, nowMs: number): Section {
	return {
		title: "Image",
		rows: [
			["id", image.id],
			["file", `${image.filename}, ${image.format}, ${image.width}×${image.height}, ${bytesText(image.bytes)}`],
			["status", `${image.status}${locked ? ", locked" : ""}${blocked_reason === null ? "" : `, ${blocked_reason}`}`],
			["nsfw", image.nsfw ? "yes" : "no"],
			["App", named(app_name, image.app_id)],
			["storage", image.storage],
			["uploaded", ageText(image.created_at, nowMs)],
			["caption", image.caption === "" ? "—" : image.caption],
			["revision", String(revision)],
		],
	};
}
