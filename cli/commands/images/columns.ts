import type { Image } from "@svc/sdk/types";
import type { Column } from "../../table.ts";

function pairs(map: Readonly<Record<string, string>>): string {
	return Object.entries(map)
		.map(([key, value]) => `${key}=${value}`)
		.join(",");
}

function id(image: Image): string {
	return image.id;
}

function size(image: Image): string {
	return `${image.width}x${image.height}`;
}

/** Many images. The order of what a pipe gets is a promise to scripts: add at the end only. */
export const IMAGE_COLUMNS: readonly Column<Image>[] = [
	{ name: "id", value: id },
	{ name: "filename", value: (image) => image.filename, shrinks: true },
	{ name: "format", value: (image) => image.format },
	{ name: "size", value: size },
	{ name: "bytes", value: (image) => image.bytes },
	{ name: "published_at", value: (image) => image.published_at },
	{ name: "url", value: (image) => image.url, hidden: true },
	{ name: "labels", value: (image) => pairs(image.labels), shrinks: true },
];

/** New images: the address is what they were made for. */
export const CREATED_COLUMNS: readonly Column<Image>[] = [
	{ name: "id", value: id },
	{ name: "filename", value: (image) => image.filename, shrinks: true },
	{ name: "url", value: (image) => image.url },
];

/** One image, all of it. */
export const DETAIL_COLUMNS: readonly Column<Image>[] = [
	...IMAGE_COLUMNS,
	{ name: "status", value: (image) => image.status },
	{ name: "expires_at", value: (image) => image.expires_at ?? "never" },
	{ name: "caption", value: (image) => image.caption },
	{ name: "metadata", value: (image) => pairs(image.metadata) },
	{ name: "nsfw", value: (image) => image.nsfw },
	{ name: "created_at", value: (image) => image.created_at },
];
