import type { Addresses } from "@svc/base/addresses";
import { type Image, imageUrl } from "@svc/images/images";
import { SOCIAL_CARD, sizeOf } from "@svc/images/layout/geometry";
import { isTransformable } from "@svc/images/transform/transform";
import { contentPolicy } from "@svc/pages/kit/layout.tsx";
import { Day, fileSize } from "@svc/pages/kit/parts.tsx";
import { type Text, usePlain } from "@svc/pages/kit/text";
import { type Page, show } from "@svc/pages/kit/visit";
import { t } from "./messages.ts";
import { imagePageUrl } from "./visible-image.ts";

/* The page that shows one image to a person who has its address. */

interface Shown {
	/** The service's own name. */
	readonly name: string;
	readonly addresses: Addresses;
	readonly image: Image;
}

/** A public image's page has a preview for other sites and is cached for a moment; that of a private image is for its viewer alone. */
export function imagePage({ name, addresses }: Omit<Shown, "image">, image: Image, nowMs: number): Page {
	const shown = { name, addresses, image };
	const { heading, text } = wordsOf(image);
	const body = (
		<div className="card viewer">
			<Picture {...shown} />
			<div className="stack">
				<h1>
					<bdi>{heading}</bdi>
				</h1>
				{text && (
					<p className="caption" dir="auto">
						{text}
					</p>
				)}
			</div>
			<Analysis {...shown} />
			<Links {...shown} />
		</div>
	);
	return show(shortened(heading, TITLE_MAX), body, {
		wide: true,
		head: <Head {...shown} />,
		headers: {
			"Content-Security-Policy": contentPolicy(new URL(imageUrl(addresses, image)).origin),
			...(image.public && { "Cache-Control": keptFor(image, nowMs) }),
		},
	});
}

function Links({ addresses, image }: Shown) {
	const say = usePlain();
	return (
		<nav className="others" aria-label={say(t("about"))}>
			<a href={imageUrl(addresses, image)}>{t("open")}</a>
			<a href={`/report/${image.id}`}>{t("report")}</a>
		</nav>
	);
}

/** A page that is removed disappears from caches after this time. */
const KEPT_SECONDS = 60;

function keptFor({ expiresMs }: Image, nowMs: number): string {
	const left = expiresMs === null ? KEPT_SECONDS : Math.floor((expiresMs - nowMs) / 1_000);
	return left <= 0 ? "no-store" : `public, max-age=${Math.min(KEPT_SECONDS, left)}`;
}

const TITLE_MAX = 100;
const ALTERNATIVE_MAX = 300;

/** A short caption is the heading; a long one stands below the name of the file. */
function wordsOf({ caption, filename }: Image): { readonly heading: string; readonly text: string } {
	const whole = caption.trim();
	const isHeading = whole !== "" && whole === shortened(whole, TITLE_MAX);
	return isHeading ? { heading: whole, text: "" } : { heading: filename, text: whole };
}

/** The text as one line, cut between characters. */
function shortened(text: string, most: number): string {
	const characters = [...text.replace(/\s+/g, " ").trim()];
	return characters.length <= most ? characters.join("") : `${characters.slice(0, most - 1).join("")}…`;
}

function alternativeOf({ caption, filename }: Image): string {
	return shortened(caption, ALTERNATIVE_MAX) || filename;
}

function Picture(shown: Shown) {
	if (!shown.image.nsfw) return <Frame {...shown} />;
	return (
		<details className="veil">
			<summary>{t("veil")}</summary>
			<Frame {...shown} />
		</details>
	);
}

function Frame({ addresses, image }: Shown) {
	const { width, height } = image;
	return (
		<div className="frame">
			<img
				{...sourcesOf(imageUrl(addresses, image), image)}
				alt={alternativeOf(image)}
				width={width}
				height={height}
				// A flagged image is not fetched until the person shows it.
				loading={image.nsfw ? "lazy" : undefined}
				decoding="async"
			/>
		</div>
	);
}

function sourcesOf(url: string, image: Image): Pick<React.ComponentProps<"img">, "src" | "srcSet" | "sizes"> {
	if (!isTransformable(image.format)) return { src: url };
	const widths = new Map<number, string>();
	for (const one of ["l", "m", "s"] as const) widths.set(sizeOf(image.width, image.height, one).width, one);
	return {
		src: `${url}?size=l`,
		srcSet: [...widths].map(([width, one]) => `${url}?size=${one} ${width}w`).join(", "),
		sizes: `min(100vw, 44rem, ${image.width}px)`,
	};
}

const FORMATS: Readonly<Record<Image["format"], string>> = {
	jpg: "JPEG",
	png: "PNG",
	webp: "WebP",
	avif: "AVIF",
	gif: "GIF",
	svg: "SVG",
	bmp: "BMP",
	ico: "ICO",
};

function pixels({ image: { width, height } }: Shown): Text {
	return t("pixels", { width, height });
}

function Analysis(shown: Shown) {
	const { image } = shown;
	return (
		<dl className="facts">
			<div>
				<dt>{t("published")}</dt>
				<dd>
					<Day ms={image.publishedMs} />
				</dd>
			</div>
			{image.expiresMs !== null && (
				<div>
					<dt>{t("until")}</dt>
					<dd>
						<Day ms={image.expiresMs} />
					</dd>
				</div>
			)}
			<div>
				<dt>{t("size")}</dt>
				<dd>{pixels(shown)}</dd>
			</div>
			<div>
				<dt>{t("format")}</dt>
				<dd>
					{FORMATS[image.format]}, {fileSize(image.bytes)}
				</dd>
			</div>
		</dl>
	);
}

/** Open Graph data for other sites (ogp.me): none for a private image, and no picture for an image that may be unsuitable. */
function Head(shown: Shown) {
	const { name, addresses, image } = shown;
	const say = usePlain();
	const page = imagePageUrl(addresses, image.id);
	if (!image.public) return <meta name="robots" content="noindex" />;
	const title = shortened(wordsOf(image).heading, TITLE_MAX);
	return (
		<>
			<link rel="canonical" href={page} />
			{image.nsfw && <meta name="robots" content="noindex" />}
			<meta property="og:type" content="website" />
			<meta property="og:site_name" content={name} />
			<meta property="og:url" content={page} />
			<meta property="og:title" content={title} />
			<meta property="og:description" content={shortened(image.caption, ALTERNATIVE_MAX) || say(pixels(shown))} />
			<meta name="twitter:card" content={image.nsfw ? "summary" : "summary_large_image"} />
			{!image.nsfw && <Card addresses={addresses} image={image} />}
		</>
	);
}

function Card({ addresses, image }: Pick<Shown, "addresses" | "image">) {
	const url = imageUrl(addresses, image);
	if (!isTransformable(image.format)) return <meta property="og:image" content={url} />;
	return (
		<>
			<meta property="og:image" content={`${url}?size=social`} />
			<meta property="og:image:width" content={String(SOCIAL_CARD.width)} />
			<meta property="og:image:height" content={String(SOCIAL_CARD.height)} />
			<meta property="og:image:alt" content={alternativeOf(image)} />
			<meta name="twitter:image" content={`${url}?size=social`} />
			<meta name="twitter:image:alt" content={alternativeOf(image)} />
		</>
	);
}
