import type { ModerationItem } from "@svc/sdk/shapes";
import { type NounTone, noun } from "./noun.ts";
import { ageText, bytesText, named } from "./words.ts";

/** With the name of the App that the image belongs to. */
export type ModeratedThing = ModerationItem & { readonly app_name?: string | undefined };

const pixels = ({ image: { width, height } }: ModerationItem) => `${width}×${height}`;

export const MODERATION_ITEM = noun<ModeratedThing>()({
	fields: {
		id: { line: ({ image }) => image.id },
		state: {
			value: moderationState,
			worth: 5,
			title: "State",
			width: 16,
			cell: (item) => stateOf(item)[0],
			tone: (item) => stateOf(item)[1],
			label: "status",
			line: ({ image, locked, blocked_reason: reason }) =>
				`${image.status}${locked ? ", locked" : ""}${reason === null ? "" : `, ${reason}`}`,
		},
		reason: {
			value: ({ blocked_reason: reason }) => reason,
			worth: 3,
			title: "Reason",
			width: 14,
			cell: ({ reports }) => reports[0]?.reason ?? "—",
		},
		reports: { value: ({ reports_count: count }) => count, worth: 4, title: "Rep.", width: 4 },
		app: {
			value: ({ image }) => image.app_id,
			title: "App",
			width: 24,
			more: true,
			cell: ({ app_name: name, image }) => name ?? image.app_id,
			label: "App",
			line: ({ app_name: name, image }) => named(name, image.app_id),
		},
		filename: {
			value: ({ image }) => image.filename,
			shrinks: true,
			worth: 2,
			title: "File",
			cell: ({ image }) => `${image.nsfw ? "[nsfw] " : ""}${image.filename}`,
			label: "file",
			line: (item) => {
				const { filename, format, bytes } = item.image;
				return `${filename}, ${format}, ${pixels(item)}, ${bytesText(bytes)}`;
			},
		},
		created_at: {
			worth: 1,
			title: "Age",
			width: 8,
			cell: ({ image }, nowMs) => ageText(image.created_at, nowMs),
			label: "uploaded",
			line: ({ image }, nowMs) => ageText(image.created_at, nowMs),
		},
		url: { value: ({ image }) => image.url, hidden: true },
		caption: { value: ({ image }) => image.caption },
		storage: { value: ({ image }) => image.storage },
		revision: {},
		similar: { value: similarText, label: "similar to", line: (item) => similarText(item) || undefined },
		open_reports: { value: reportsText },
		history: { value: actionsText },
		nsfw: { value: ({ image }) => (image.nsfw ? "yes" : "no") },
		bytes: { kind: "bytes", value: ({ image }) => image.bytes, title: "Size", width: 8, more: true },
		pixels: { value: pixels, title: "Pixels", width: 11, more: true },
		note: { value: ({ reports }) => reports[0]?.note ?? "", title: "Note", width: 40, more: true },
	},
	list: ["id", "state", "reason", "reports", "app", "filename", "created_at", "url"],
	detail: ["caption", "storage", "revision", "similar", "open_reports", "history"],
	dashboard: {
		title: "Image",
		empty: "No image is in this queue. s shows the next queue, r looks again.",
		columns: ["state", "reports", "reason", "filename", "created_at", "bytes", "pixels", "app", "note"],
		lines: ["id", "filename", "state", "similar", "nsfw", "app", "storage", "created_at", "caption", "revision"],
		more: ({ reports_count: count, reports, actions }, nowMs) => [
			{
				title: `Open reports: ${count}`,
				rows: reports.map(({ reason, note, email, created_at: at }): [string, string] => [
					ageText(at, nowMs),
					`${reason}${note === null ? "" : `: ${note}`}${email === null ? "" : ` (${email})`}`,
				]),
			},
			{
				title: `History: ${actions.length}`,
				rows: actions.map(({ action, reason, note, actor, actor_email: email, created_at: at }): [string, string] => [
					ageText(at, nowMs),
					`${action}${reason === null ? "" : ` for ${reason}`} by ${email ?? actor}${note === null ? "" : `: ${note}`}`,
				]),
			},
		],
	},
});

/** The blocked image because of which the service has locked or blocked this one. */
function similarText({ similar }: ModerationItem): string {
	if (!similar) return "";
	const how = similar.kind === "alike" ? `alike, ${similar.score}` : similar.kind.replace("_", " ");
	return `${similar.image_id} (${how}${similar.gone ? ", gone" : ""})`;
}

/** A sign and a word, so that no colour is needed to tell them apart. */
export function stateOf(item: ModerationItem): readonly [text: string, tone: NounTone | undefined] {
	if (item.image.status === "blocked") return [`⛒ ${item.blocked_reason ?? "blocked"}`, "danger"];
	if (item.locked) return ["▣ locked", "warn"];
	if (item.image.status !== "ready") return [`… ${item.image.status}`, "accent"];
	return ["○ open", undefined];
}

/** `ready,locked,nsfw` */
export function moderationState({ image, locked }: ModerationItem): string {
	return [image.status, ...(locked ? ["locked"] : []), ...(image.nsfw ? ["nsfw"] : [])].join(",");
}

function reportsText({ reports }: ModerationItem): string {
	return reports.map(({ id, reason, note }) => `${id} ${reason}${note ? `: ${note}` : ""}`).join(" · ");
}

function actionsText({ actions }: ModerationItem): string {
	return actions
		.map(({ created_at, action, reason, note, actor_email, actor }) => {
			const why = [reason, note].filter(Boolean).join(": ");
			return `${created_at} ${action}${why ? ` (${why})` : ""} by ${actor_email ?? actor}`;
		})
		.join(" · ");
}
