import { Day, fileSize } from "../../kit/parts.tsx";
import { type Text, usePlain } from "../../kit/text.ts";
import { t } from "../messages.ts";
import type { ConsoleImage } from "./listing.ts";
import { Thumb } from "./thumb.tsx";

/* The pictures of a page: as a grid, or as a table. */

interface PicturesProps {
	readonly images: readonly ConsoleImage[];
	/** Where a picture's own page is. */
	readonly hrefOf: (image: ConsoleImage) => string;
	/** The form that takes what is selected; undefined where nothing can be. */
	readonly form: string | undefined;
}

export function Grid({ images, hrefOf, form }: PicturesProps) {
	return (
		<ul className="grid" aria-label={usePlain()(t("images"))}>
			{images.map((image) => (
				<li key={image.id}>
					{form && <Box image={image} form={form} />}
					<a href={hrefOf(image)}>
						{isShown(image) ? <Thumb image={image} /> : <Plate image={image} />}
						<span className="file">
							<bdi>{image.filename}</bdi>
						</span>
					</a>
				</li>
			))}
		</ul>
	);
}

export function Table({ images, hrefOf, form }: PicturesProps) {
	const label = usePlain()(t("images"));
	return (
		<section className="scroll" aria-label={label}>
			<table className="lines">
				<caption>{t("images")}</caption>
				<thead>
					<tr>
						{form && <td />}
						<td />
						<th scope="col">{t("file")}</th>
						<th scope="col">{t("caption")}</th>
						<th scope="col">{t("labels")}</th>
						<th scope="col" className="number">
							{t("pixels")}
						</th>
						<th scope="col" className="number">
							{t("size")}
						</th>
						<th scope="col">{t("published")}</th>
					</tr>
				</thead>
				<tbody>
					{images.map((image) => (
						<tr key={image.id}>
							{form && (
								<td>
									<Box image={image} form={form} />
								</td>
							)}
							<td className="tile">{isShown(image) && <Thumb image={{ ...image, caption: "" }} />}</td>
							<th scope="row">
								<a href={hrefOf(image)}>
									<bdi>{image.filename}</bdi>
								</a>
							</th>
							<td>{image.caption}</td>
							<td>
								{Object.entries(image.labels)
									.map(([key, value]) => `${key}=${value}`)
									.join(", ")}
							</td>
							<td className="number">
								{image.width} × {image.height}
							</td>
							<td className="number">{fileSize(image.bytes)}</td>
							<td>
								<Day ms={Date.parse(image.published_at)} />
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function Box({ image, form }: { readonly image: ConsoleImage; readonly form: string }) {
	const label = usePlain()(t("select", { file: image.filename }));
	return <input className="box" type="checkbox" name="ids" value={image.id} form={form} aria-label={label} />;
}

/** Blocked, failed and deleted images have no picture to show, and never a broken one. */
export function isShown({ status, deleted_at }: ConsoleImage): boolean {
	return status === "ready" && deleted_at === undefined;
}

/** In place of a picture that is not shown: why it is not. */
export function Plate({ image }: { readonly image: ConsoleImage }) {
	const { blocked_reason: reason } = image;
	return (
		<span className={image.status === "ready" || image.status === "processing" ? "plate" : "plate wrong"}>
			<strong>{stateText(image)}</strong>
			{reason && <span>{t(`reason.${reason}` as "reason.spam")}</span>}
		</span>
	);
}

function stateText({ status, deleted_at }: ConsoleImage): Text {
	if (status === "processing") return t("state.processing");
	if (status === "failed") return t("state.failed");
	return deleted_at !== undefined && status === "ready" ? t("state.deleted") : t("state.blocked");
}
