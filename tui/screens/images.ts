import type { Image } from "@svc/sdk/shapes";
import { ageText, bytesText } from "../text.ts";
import { type Section, screenOf, type Tone } from "./describe.ts";

const SIGNS: Readonly<Record<string, readonly [string, Tone | undefined]>> = {
	ready: ["○ ready", undefined],
	processing: ["… processing", "accent"],
	blocked: ["⛒ blocked", "danger"],
	failed: ["✗ failed", "danger"],
};

const labelText = ({ labels }: Image) =>
	Object.entries(labels)
		.map(([key, value]) => `${key}=${value}`)
		.join(" ");

export const images = screenOf<Image>({
	object: "image",
	columns: [
		{
			title: "State",
			width: 12,
			text: ({ status }) => SIGNS[status]?.[0] ?? status,
			tone: ({ status }) => SIGNS[status]?.[1],
		},
		{ title: "File", text: ({ filename, nsfw }) => `${nsfw ? "[nsfw] " : ""}${filename}` },
		{ title: "Size", width: 8, text: ({ bytes }) => bytesText(bytes) },
		{ title: "Published", width: 9, text: ({ published_at }, nowMs) => ageText(published_at, nowMs) },
		{ title: "Labels", width: 32, text: labelText },
		{ title: "Pixels", width: 11, more: true, text: ({ width, height }) => `${width}×${height}` },
		{ title: "Format", width: 6, more: true, text: ({ format }) => format },
		{
			title: "Ends",
			width: 8,
			more: true,
			text: ({ expires_at }, nowMs) => (expires_at === null ? "never" : ageText(expires_at, nowMs)),
		},
		{ title: "Caption", width: 40, more: true, text: ({ caption }) => caption },
	],
	empty: "There is no image. svc images upload photo.jpg stores one.",
	sections: (image, nowMs) => [
		summary(image, nowMs),
		...pairs("Labels", image.labels),
		...pairs("Metadata", image.metadata),
	],
});

function summary(image: Image, nowMs: number): Section {
	const { width, height, format, bytes } = image;
	return {
		title: "Image",
		rows: [
			["id", image.id],
			["file", image.filename],
			["picture", `${format}, ${width}×${height}, ${bytesText(bytes)}`],
			["status", `${image.status}${image.nsfw ? ", nsfw" : ""}`],
			["caption", image.caption === "" ? "—" : image.caption],
			["own name", image.external_id ?? "—"],
			["published", `${image.published_at} (${ageText(image.published_at, nowMs)})`],
			["stored", ageText(image.created_at, nowMs)],
			["ends", image.expires_at === null ? "never" : ageText(image.expires_at, nowMs)],
			["address", image.url],
		],
	};
}

function pairs(title: string, map: Readonly<Record<string, string>>): readonly Section[] {
	const rows = Object.entries(map);
	return rows.length === 0 ? [] : [{ title, rows }];
}
