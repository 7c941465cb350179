import type { ImageFormat } from "@svc/base/enumerations";
import type { Extent } from "../layout/extent.ts";
import { plainest } from "./plainest.ts";
import { canonicalFor, type Transform } from "./transform.ts";

/** The form of `size=s` of a picture in its own format. */
export function smallestOf(picture: Extent & { readonly format: ImageFormat }): Transform {
	return plainest(canonicalFor({ size: "s" }, picture.format, picture), picture);
}
