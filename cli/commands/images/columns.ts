import type { Image } from "@svc/sdk/shapes";
import { type Column, fields } from "../../kit/output/table.ts";

/** Columns of many images. The order of the columns in a pipe is a promise to scripts: add at the end only. */
export const IMAGE_COLUMNS: readonly Column<Image>[] = [
	{ name: "id", value: id },
	{ name: "filename", value: (image) => image.filename, shrinks: true, worth: 4 },
	...fields("format"),
	{ name: "size", value: size, worth: 1 },
	{ name: "bytes", value: (image) => image.bytes, worth: 2 },
	{ name: "published_at", value: (image) => image.published_at, worth: 3 },
	{ name: "url", value: (image) => image.url, hidden: true },
	{ name: "labels", value: (image) => pairs(image.labels), shrinks: true },
];

/** Columns of new images: the address is what they were made for. */
export const CREATED_COLUMNS: readonly Column<Image>[] = [
	{ name: "id", value: id },
	{ name: "filename", value: (image) => image.filename, shrinks: true },
	...fields("url"),
];

/** Every column of one image. */
export const DETAIL_COLUMNS: readonly Column<Image>[] = [
	...IMAGE_COLUMNS,
	...fields("status"),
	{ name: "expires_at", value: (image) => image.expires_at ?? "never" },
	...fields("caption"),
	{ name: "metadata", value: (image) => pairs(image.metadata) },
	...fields("nsfw", "created_at"),
	{ name: "external_id", value: (image) => image.external_id ?? "" },
	{ name: "facts", value: (image) => (image.facts === undefined ? "" : JSON.stringify(image.facts)) },
];

function id(image: Image): string {
	return image.id;
}

function size(image: Image): string {
	return `${image.width}x${image.height}`;
}

function pairs(map: Readonly<Record<string, string>>): string {
	return Object.entries(map)
		.map(([key, value]) => `${key}=${value}`)
		.join(",");
}
