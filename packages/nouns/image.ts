import type { Image } from "@svc/sdk/shapes";
import { noun, sectionOf, signedBy } from "./noun.ts";
import { ageText, bytesText, pairsText, timeText } from "./words.ts";

export const IMAGE = noun<Image>()({
	fields: {
		id: {},
		filename: {
			shrinks: true,
			worth: 4,
			title: "File",
			cell: ({ filename: name, nsfw }) => `${nsfw ? "[nsfw] " : ""}${name}`,
			label: "file",
		},
		format: { title: "Format", width: 6, more: true },
		size: {
			value: ({ width, height }) => `${width}x${height}`,
			worth: 1,
			title: "Pixels",
			width: 11,
			more: true,
			cell: ({ width, height }) => `${width}×${height}`,
			label: "picture",
			line: ({ format, width, height, bytes }) => `${format}, ${width}×${height}, ${bytesText(bytes)}`,
		},
		bytes: { kind: "bytes", worth: 2, title: "Size", width: 8 },
		published_at: {
			kind: "time",
			worth: 3,
			title: "Published",
			width: 9,
			label: "published",
			line: ({ published_at: at }, nowMs) => timeText(at, nowMs),
		},
		url: { hidden: true, label: "address" },
		labels: {
			value: ({ labels }) => pairsText(labels),
			shrinks: true,
			title: "Labels",
			width: 32,
			cell: ({ labels }) => pairsText(labels, " "),
		},
		status: {
			title: "State",
			width: 12,
			...signedBy("status", {
				ready: ["○ ready", undefined],
				processing: ["… processing", "accent"],
				blocked: ["⛒ blocked", "danger"],
				failed: ["✗ failed", "danger"],
			}),
			line: ({ status, nsfw }) => `${status}${nsfw ? ", nsfw" : ""}`,
		},
		expires_at: {
			value: ({ expires_at: at }) => at ?? "never",
			title: "Ends",
			width: 8,
			more: true,
			cell: ends,
			label: "ends",
			line: ends,
		},
		caption: { title: "Caption", width: 40, more: true },
		metadata: { value: ({ metadata }) => pairsText(metadata) },
		nsfw: {},
		created_at: { kind: "time", label: "stored" },
		external_id: {
			value: ({ external_id: id }) => id ?? "",
			label: "own name",
			line: (image) => image.external_id ?? "—",
		},
		facts: { value: ({ facts }) => (facts === undefined ? "" : JSON.stringify(facts)) },
	},
	list: ["id", "filename", "format", "size", "bytes", "published_at", "url", "labels"],
	detail: ["status", "expires_at", "caption", "metadata", "nsfw", "created_at", "external_id", "facts"],
	dashboard: {
		title: "Image",
		empty: "There is no image. svc images upload photo.jpg stores one.",
		columns: ["status", "filename", "bytes", "published_at", "labels", "size", "format", "expires_at", "caption"],
		lines: [
			...["id", "filename", "size", "status", "caption", "external_id", "published_at", "created_at", "expires_at"],
			"url",
		] as const,
		more: ({ labels, metadata }) => [
			...sectionOf("Labels", Object.entries(labels)),
			...sectionOf("Metadata", Object.entries(metadata)),
		],
	},
});

function ends({ expires_at: at }: Image, nowMs: number): string {
	return at === null ? "never" : ageText(at, nowMs);
}
