import { fileSize, Moment } from "../../kit/parts.tsx";
import { local } from "../../kit/text.ts";
import { Fact } from "../kit/facts.tsx";
import { t } from "../messages.ts";
import type { ConsoleImage } from "./listing.ts";

/** What is known of a picture. */
export function Facts({ image }: { readonly image: ConsoleImage }) {
	const { facts } = image;
	const colours = facts?.colors ?? [];
	return (
		<dl className="facts">
			<Fact name={t("pixels")}>
				{numberOf(image.width)} × {numberOf(image.height)}
			</Fact>
			<Fact name={t("size")}>
				{fileSize(image.bytes)}, {image.format}
			</Fact>
			<Fact name={t("published")}>
				<Moment ms={Date.parse(image.published_at)} />
			</Fact>
			{image.expires_at && (
				<Fact name={t("expires")}>
					<Moment ms={Date.parse(image.expires_at)} />
				</Fact>
			)}
			{image.external_id !== undefined && (
				<Fact name={t("external_id")}>
					<bdi>{image.external_id}</bdi>
				</Fact>
			)}
			<Fact name={t("id")}>
				<code>{image.id}</code>
			</Fact>
			{facts && (
				<Fact name="SHA-256">
					<code>{facts.sha256}</code>
				</Fact>
			)}
			{colours.length > 0 && (
				<Fact name={t("colours")}>
					<Colours colours={colours} />
				</Fact>
			)}
		</dl>
	);
}

/** A number as each language writes it. */
export function numberOf(value: number) {
	return local((locale) => new Intl.NumberFormat(locale).format(value));
}

/** Pixels. */
const SWATCH = 28;

function Colours({ colours }: { readonly colours: readonly string[] }) {
	return (
		<>
			<svg className="colours" width={colours.length * SWATCH} height={SWATCH} aria-hidden="true" focusable="false">
				{colours.map((colour, place) => (
					<rect key={colour} x={place * SWATCH} width={SWATCH} height={SWATCH} fill={colour} />
				))}
			</svg>
			<span className="fine">{colours.join(" ")}</span>
		</>
	);
}
