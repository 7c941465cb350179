import type { Addresses } from "@svc/base/addresses";
import { IMAGE_STATUSES, OUTPUT_FORMATS } from "@svc/base/enumerations";
import { type ImageFacts, imageUrl } from "@svc/images/images";

import { sizeOf } from "@svc/images/layout/geometry";
import { isTransformable } from "@svc/images/transform/transform";
import type { Usage as CountedUsage } from "@svc/images/usage/usage";
import type { Image, ImageSize, ImageSizes, Usage } from "@svc/sdk/shapes";
import * as v from "valibot";
import { about, dateTime, integer, named, oneOf, uri } from "./shape.ts";

/* The wire format of the parts that all interface variants share, and the schemas that describe them. */

const SIZES = { small: "s", medium: "m", large: "l" } as const;

function encodeSizes(image: ImageFacts, url: string): ImageSizes {
	return {
		small: encodeSize(image, url, SIZES.small),
		medium: encodeSize(image, url, SIZES.medium),
		large: encodeSize(image, url, SIZES.large),
	};
}

function encodeSize(image: ImageFacts, url: string, size: "s" | "m" | "l"): ImageSize {
	return { url: `${url}?size=${size}`, ...sizeOf(image.width, image.height, size) };
}

function isoDate(milliseconds: number): string {
	return new Date(milliseconds).toISOString();
}

export function encodeImage(image: ImageFacts, addresses: Addresses): Image {
	const url = imageUrl(addresses, image);
	return {
		id: image.id,
		object: "image",
		url,
		sizes: isTransformable(image.format) ? encodeSizes(image, url) : {},
		filename: image.filename,
		format: image.format,
		width: image.width,
		height: image.height,
		bytes: image.bytes,
		status: image.status,
		published_at: isoDate(image.publishedMs),
		expires_at: image.expiresMs === null ? null : isoDate(image.expiresMs),
		created_at: isoDate(image.createdMs),
		caption: image.caption,
		metadata: image.metadata,
		labels: image.labels,
		nsfw: image.nsfw,
	};
}

export function encodeTotals(usage: CountedUsage): Pick<Usage, "monthly" | "totals"> {
	return {
		monthly: {
			uploads: usage.uploadsThisMonth,
			uploads_limit: usage.uploadsLimit,
			uploads_remaining: Math.max(0, usage.uploadsLimit - usage.uploadsThisMonth),
			resets_at: isoDate(usage.resetsMs),
		},
		totals: {
			images_stored: usage.images,
			storage_used_bytes: usage.bytes,
			storage_limit_bytes: usage.bytesLimit,
			storage_remaining_bytes: Math.max(0, usage.bytesLimit - usage.bytes),
		},
	};
}

const size = named("ImageSize", v.object({ url: uri, width: about(integer, "Pixels."), height: integer }));
const maybeSize = v.optional(size);
const strings = v.record(v.string(), v.string());

export const imageEntries = {
	id: v.string(),
	object: v.literal("image"),
	url: about(uri, "Direct, embeddable address; query parameters transform the picture."),
	sizes: about(
		named("ImageSizes", v.object({ small: maybeSize, medium: maybeSize, large: maybeSize })),
		"The same picture with its short side at 320, 640 and 1080 pixels; empty for a source that cannot be transformed.",
	),
	filename: v.string(),
	format: oneOf("ImageFormat", OUTPUT_FORMATS),
	width: about(integer, "Pixels."),
	height: integer,
	bytes: integer,
	status: oneOf("ImageStatus", IMAGE_STATUSES),
	published_at: about(dateTime, "Lists are ordered by it."),
	expires_at: about(v.nullable(dateTime), "Null: permanent."),
	created_at: dateTime,
	caption: about(v.string(), "Empty where none was given."),
	metadata: strings,
	labels: strings,
	nsfw: v.boolean(),
};

export const usageEntries = {
	object: v.literal("usage"),
	monthly: named(
		"MonthlyUsage",
		v.object({ uploads: integer, uploads_limit: integer, uploads_remaining: integer, resets_at: dateTime }),
	),
	totals: named(
		"StoredTotals",
		v.object({
			images_stored: integer,
			storage_used_bytes: integer,
			storage_limit_bytes: integer,
			storage_remaining_bytes: integer,
		}),
	),
};

const allowance = named(
	"Allowance",
	v.object({
		used: about(v.nullable(integer), "Null for a key that a connected user issued for their own storage."),
		limit: about(v.nullable(integer), "Null: no limit."),
	}),
);
export const limitsSchema = named("UsageLimits", v.object({ images: allowance, users: allowance }));

/** The read-only fields of an Image: a client may send them back, and they are ignored. */
export const READ_ONLY_NAMES: ReadonlySet<string> = new Set([
	"id",
	"object",
	"url",
	"page_url",
	"sizes",
	"format",
	"width",
	"height",
	"bytes",
	"status",
	"expires_at",
	"created_at",
]);

/** On a create these two are ignored as well; an update that names them is refused. */
export const CREATE_IGNORED_NAMES: ReadonlySet<string> = new Set([...READ_ONLY_NAMES, "filename", "nsfw"]);
