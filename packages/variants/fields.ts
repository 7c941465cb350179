import {
	caption,
	date,
	externalId,
	labels,
	labelsChange,
	metadata,
	metadataChange,
	ttl,
} from "@svc/images/image-fields";
import * as v from "valibot";

/* The writable fields of a create in its two encodings, and those of an update. */

export const jsonFields = { caption, published_at: date, ttl, metadata, labels };

/** Null clears or removes a value, where that is possible. */
export const updateFields = {
	caption: v.nullable(caption),
	published_at: date,
	ttl,
	metadata: metadataChange,
	labels: labelsChange,
	if_labels: labels,
};

const REVISION_RULE = "must be the number that include=revision tells";

/** Of the newest interface: nothing changes unless the image is as it was when it was read. */
export const ifRevision = {
	if_revision: v.pipe(v.number(REVISION_RULE), v.integer(REVISION_RULE), v.minValue(1, REVISION_RULE)),
};

/** A form carries only text: maps are JSON in it, and an empty ttl was simply not filled in. */
export const formFields = {
	caption,
	published_at: date,
	ttl: v.pipe(
		v.string("must be text"),
		v.transform((text): string | number | null => (text === "" ? null : text)),
		ttl,
	),
	metadata: v.pipe(jsonText(), metadata),
	labels: v.pipe(jsonText(), labels),
};

function jsonText() {
	return v.pipe(
		v.string("must be text"),
		v.rawTransform(({ dataset, addIssue, NEVER }): unknown => {
			try {
				return JSON.parse(dataset.value);
			} catch {
				addIssue({ message: "must be a JSON-encoded object of strings" });
				return NEVER;
			}
		}),
	);
}

/** An App's own name for an image, as a create and an update take it. */
export const ownId = { external_id: externalId };
export const ownIdChange = { external_id: v.nullable(externalId) };
