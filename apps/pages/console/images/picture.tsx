import type { App, Event } from "@svc/sdk/shapes";
import { Alert, Notice } from "../../kit/parts.tsx";
import { usePlain } from "../../kit/text.ts";
import { type PageResult, redirect } from "../../kit/visit.ts";
import { Address, makePreset } from "../address/address.tsx";
import { build, largeOf } from "../address/build.ts";
import { tidied } from "../address/state.ts";
import { screenPage } from "../kit/frame.tsx";
import { type ConsoleVisit, canEdit, type Refused, type Screen, type Size } from "../kit/visit.ts";
import { t } from "../messages.ts";
import {
	type Filter,
	type ListPlace,
	listFilterOf,
	nextPlace,
	pictureQueryOf,
	placeOf,
	previousPlace,
	queryOf,
} from "./filter.ts";
import { isShown, Plate } from "./grid.tsx";
import { type ConsoleImage, listPage, readImage } from "./listing.ts";
import { copy, Deeds, move, Restore, remove, restore } from "./picture-deeds.tsx";
import { Edit, save } from "./picture-edit.tsx";
import { Events, readEvents } from "./picture-events.tsx";
import { Facts } from "./picture-facts.tsx";

/* One picture: large, with what is known of it, and what can be done with it. */

export const pictureScreen: Screen = {
	path: "/:app/images/:image",
	get: showPicture,
	acts: { save, delete: remove, restore, copy, move, preset: makePreset },
};

interface Seen {
	readonly app: App;
	readonly image: ConsoleImage;
	readonly filter: Filter;
	readonly place: ListPlace;
	/** Undefined where nobody asked for them. */
	readonly events: readonly Event[] | undefined;
	/** Addresses of the pictures beside it, in the list that one came from. */
	readonly before: string | undefined;
	readonly after: string | undefined;
}

async function readPicture(visit: ConsoleVisit): Promise<Seen> {
	const { app: id = "" } = visit.params;
	const filter = listFilterOf(visit.url);
	const place = placeOf(visit.url);
	const [app, image, beside, events] = await Promise.all([
		visit.api.apps.get(id),
		readImage(visit, filter),
		readBeside(visit, filter, place),
		readEvents(visit, filter.storage),
	]);
	return { app, image, filter, place, events, ...beside };
}

async function showPicture(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const seen = await readPicture(visit);
	const { app, image, filter, place } = seen;
	const tidy = refused ? undefined : tidied(visit.url, image);
	if (tidy !== undefined) return redirect(tidy);
	const isThere = isShown(image);
	const aim = { app, image, storage: filter.storage };
	const built = isThere ? await build(visit, aim) : undefined;
	const shown = built?.shown ?? (isThere && { url: await largeOf(visit, aim), ...sizeOf(image) });
	const list = `/console/${app.id}/images`;
	const query = pictureQueryOf(filter, place);
	const path = `${list}/${image.id}`;
	const common = { visit, image, path, query, refused };
	const children = (
		<div className="one">
			<figure className="large" id="picture" data-fresh>
				{shown ? (
					<img src={shown.url} alt={image.caption} width={shown.width} height={shown.height} />
				) : (
					<Plate image={image} />
				)}
			</figure>
			<div className="beside">
				{image.locked && <Notice>{t("state.held")}</Notice>}
				<Facts image={image} />
				{image.deleted_at === undefined && (
					<p>
						<a href={list + queryOf({ similar_to: image.id, storage: filter.storage })}>{t("similar")}</a>
					</p>
				)}
				{built && <Address {...common} app={app} built={built} />}
				{canEdit(app) && <Changes {...common} />}
				{visit.includes.length > 0 && <Events events={seen.events} here={path + query} />}
			</div>
		</div>
	);
	const heading = (
		<div className="heading">
			<a className="back" href={list + queryOf(filter, place)} data-keys="Escape">
				← {t("images")}
			</a>
			<h1>
				<bdi>{image.filename}</bdi>
			</h1>
			<Beside {...seen} />
		</div>
	);
	const scripts = ["address", "copy"] as const;
	return screenPage(visit, { title: image.filename, heading, app, screen: "images", scripts, children });
}

/** At the edge of a page of the list the picture beside it is on the next one, or the one before. */
async function readBeside(
	visit: ConsoleVisit,
	filter: Filter,
	place: ListPlace,
): Promise<Pick<Seen, "before" | "after">> {
	const { app, image } = visit.params;
	const { data, pagination } = await listPage(visit, filter, place);
	const at = data.findIndex(({ id }) => id === image);
	if (at < 0) return { before: undefined, after: undefined };
	const link = (one: ConsoleImage | undefined, where = place) =>
		one && `/console/${app}/images/${one.id}${pictureQueryOf(filter, where)}`;
	const earlier = at === 0 ? previousPlace(place) : undefined;
	const cursor = at === data.length - 1 ? pagination.next_cursor : null;
	const later = cursor === null ? undefined : nextPlace(place, cursor);
	const [before, after] = await Promise.all([
		earlier && listPage(visit, filter, earlier).then((page) => link(page.data.at(-1), earlier)),
		later && listPage(visit, filter, later).then((page) => link(page.data[0], later)),
	]);
	return { before: before ?? link(data[at - 1]), after: after ?? link(data[at + 1]) };
}

interface ChangesProps {
	readonly visit: ConsoleVisit;
	readonly image: ConsoleImage;
	readonly path: string;
	readonly query: string;
	readonly refused: Refused | undefined;
}

function Changes({ image, ...rest }: ChangesProps) {
	const { visit, path, query, refused } = rest;
	if (image.deleted_at === undefined) {
		return (
			<>
				<Edit visit={visit} image={image} action={path + query} refused={refused} />
				<Deeds {...rest} image={image} />
			</>
		);
	}
	return (
		<>
			<Alert>{t("state.gone", { until: Date.parse(image.deleted_at) + RESTORED_MS })}</Alert>
			<Restore {...rest} />
		</>
	);
}

/** For so long what was deleted can be restored. */
const RESTORED_MS = 24 * 3_600_000;

/** That an SVG was kept as it is says nothing of its size on a screen. */
function sizeOf({ sizes, width, height }: ConsoleImage): Partial<Size> {
	return sizes.small ? { width, height } : {};
}

function Beside({ before, after }: Pick<Seen, "before" | "after">) {
	const say = usePlain();
	if (before === undefined && after === undefined) return null;
	return (
		<nav className="pager" aria-label={say(t("pages"))} data-stays>
			{before !== undefined && (
				<a rel="prev" data-keys="h,ArrowLeft" href={before}>
					{t("previous")}
				</a>
			)}
			{after !== undefined && (
				<a rel="next" data-keys="l,ArrowRight" href={after}>
					{t("next")}
				</a>
			)}
		</nav>
	);
}
