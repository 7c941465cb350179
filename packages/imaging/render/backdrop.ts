import type { OutputFormat } from "@svc/base/enumerations";
import type { Layout } from "@svc/images/layout/geometry";
import { type Colour, overWhite } from "@svc/images/transform/colours/css-colours";
import { coversCanvas } from "@svc/images/transform/plainest";
import type { Transform } from "@svc/images/transform/transform";

/** The backdrop of a transparent picture: none, a colour behind it, or a colour and no transparency at all. */
export type Backdrop =
	| { readonly kind: "none" }
	| { readonly kind: "tinted"; readonly colour: Colour }
	| { readonly kind: "opaque"; readonly colour: Colour };

const WHITE: Colour = { r: 255, g: 255, b: 255, alpha: 1 };

export function backdropOf({ background, size }: Transform, output: OutputFormat): Backdrop {
	// A card is shown on other people's pages, whose colours are not known.
	if (output === "jpg" || size === "social")
		return { kind: "opaque", colour: background ? overWhite(background) : WHITE };
	if (!background) return { kind: "none" };
	return { kind: background.alpha === 1 ? "opaque" : "tinted", colour: background };
}

/** Whether a rendition can have transparent pixels: those of its master, those around its subject, bars, and corners, which are cut last. */
export function mayBeClear(transform: Transform, layout: Layout, format: OutputFormat, hasAlpha = false): boolean {
	if (format === "jpg") return false;
	if (transform.radius !== undefined) return true;
	if (backdropOf(transform, format).kind === "opaque") return false;
	return hasAlpha || transform.segment !== undefined || !coversCanvas(layout);
}
