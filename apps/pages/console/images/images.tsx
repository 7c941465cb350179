import type { ReactNode } from "react";
import { Alert } from "../../kit/parts.tsx";
import { usePlain } from "../../kit/text.ts";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { FirstUpload } from "../first/first-upload.tsx";
import { screenPage } from "../kit/frame.tsx";
import { News } from "../kit/news.tsx";
import { type ConsoleVisit, canEdit, isRefusal, noneOf, type Refused, type Screen } from "../kit/visit.ts";
import { CHOOSE, Choose } from "../many/choose.tsx";
import { t } from "../messages.ts";
import { FileForm } from "./file-form.tsx";
import {
	type Filter,
	filterOf,
	type ListPlace,
	nextPlace,
	pictureQueryOf,
	placeOf,
	previousPlace,
	queryOf,
} from "./filter.ts";
import { Grid, Table } from "./grid.tsx";
import { type ConsoleImage, listPage, readListing, type ShownList } from "./listing.ts";
import { Restore } from "./picture-deeds.tsx";
import { Narrowed, refusedText, Search } from "./search.tsx";
import { Several } from "./several.tsx";

/* The pictures of an App's storage, or of one user's. The address says all of what is shown. */

export const imagesScreen: Screen = { path: "/:app/images", get: showImages };

async function showImages(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const named = NAMED.exec(visit.url.searchParams.get("q") ?? "")?.[0];
	if (named !== undefined) return redirect(pictureAt(visit, named));
	const listing = await readListing(visit).catch(refusedFilter);
	if ("error" in listing) return { ...imagesPage(visit, await emptyListing(visit), listing), status: 422 };
	const own = listing.page.data.length === 0 ? await findByExternalId(visit) : undefined;
	return own ? redirect(pictureAt(visit, own.id)) : imagesPage(visit, listing, refused);
}

/** Of a form that asks, and not of one that does. */
const FILTER = "filter";

function refusedFilter(cause: unknown): Refused {
	if (!isRefusal(cause, "validation_error")) throw cause;
	return { act: FILTER, form: new Map(), error: cause };
}

/** What stands below a filter that the API refused. */
async function emptyListing(visit: ConsoleVisit): Promise<ShownList> {
	const app = await visit.api.apps.get(visit.params.app ?? "");
	const page = { data: [], pagination: { next_cursor: null } };
	const labels = { object: "labels", data: [], truncated: false } as const;
	return { app, filter: filterOf(visit.url), place: placeOf(visit.url), page, labels };
}

/** What is searched for may be an image's id, or an address in which it stands. */
const NAMED = /\bimg_[0-9A-Za-z]{22}\b/;

function pictureAt({ params, url }: ConsoleVisit, id: string): string {
	return `/console/${params.app}/images/${id}${queryOf({ storage: filterOf(url).storage })}`;
}

/** Where no words fit what was searched for, it may be the App's own name of an image. */
async function findByExternalId(visit: ConsoleVisit): Promise<ConsoleImage | undefined> {
	const { q, storage } = filterOf(visit.url);
	if (q === undefined || visit.includes.length === 0) return undefined;
	const place = { cursor: undefined, trail: [], view: "grid" } as const;
	return (await listPage(visit, { external_id: q, storage }, place).catch(noneOf("validation_error")))?.data[0];
}

function imagesPage(visit: ConsoleVisit, listing: ShownList, refused: Refused | undefined): Page {
	const { app, filter, place, page } = listing;
	const here = `/console/${app.id}/images`;
	const toPicture = pictureQueryOf(filter, place);
	const isNew = page.data.length === 0 && Object.keys(filter).length === 0 && canEdit(app);
	const isWhole = visit.includes.length > 0;
	const children = (
		<>
			{visit.done?.what === "deleted" && isWhole && (
				<Restore visit={visit} path={`${here}/${visit.done.about}`} query={toPicture} refused={undefined} />
			)}
			<News
				app={app}
				here={here + queryOf(filter, { view: place.view })}
				count="images"
				text={t("live.new", { n: "{n}" })}
			/>
			{isNew ? (
				<FirstUpload visit={visit} app={app} refused={refused} />
			) : (
				<Search here={here} filter={filter} view={place.view} isWhole={isWhole} />
			)}
			{refused?.act === FILTER && <Alert answers>{refusedText(refused)}</Alert>}
			<div className="narrowing">
				<Narrowed here={here} listing={listing} />
				{isWhole && page.data.length > 0 && (
					<Choose here={here} filter={filter} total={page.total} mayEdit={canEdit(app)} />
				)}
			</div>
			{!isNew && <Pictures listing={listing} form={canEdit(app) && isWhole ? CHOOSE : undefined} />}
			<Pager here={here} filter={filter} place={place} next={page.pagination.next_cursor} />
		</>
	);
	return screenPage(visit, {
		title: t("images"),
		heading: (
			<Heading listing={listing}>{!isNew && <Menus visit={visit} listing={listing} refused={refused} />}</Heading>
		),
		app,
		screen: "images",
		scripts: canEdit(app) ? ["select", "drop"] : [],
		children,
	});
}

interface PicturesProps {
	readonly listing: ShownList;
	readonly form: string | undefined;
}

function Pictures({ listing: { app, filter, place, page }, form }: PicturesProps) {
	const here = `/console/${app.id}/images`;
	if (page.data.length === 0) return <Empty here={here} filter={filter} />;
	const query = pictureQueryOf(filter, place);
	const Shown = place.view === "table" ? Table : Grid;
	return <Shown images={page.data} hrefOf={({ id }) => `${here}/${id}${query}`} form={form} />;
}

interface MenusProps {
	readonly visit: ConsoleVisit;
	readonly listing: ShownList;
	readonly refused: Refused | undefined;
}

function Menus({ visit, listing: { app, filter, place, page }, refused }: MenusProps) {
	const here = `/console/${app.id}/images`;
	return (
		<>
			<Views here={here} filter={filter} view={place.view} />
			{canEdit(app) && (
				<FileForm
					visit={visit}
					act="upload"
					action={`/console/${app.id}/upload`}
					query={queryOf({ storage: filter.storage })}
					label={t("upload")}
					submit={t("upload.do")}
					look="primary"
					refused={refused}
				>
					<Several list={here} leads={page.data.length === 0} />
				</FileForm>
			)}
		</>
	);
}

interface HeadingProps {
	readonly listing: ShownList;
	/** What can be done here. */
	readonly children: ReactNode;
}

function Heading({ listing: { page }, children }: HeadingProps) {
	return (
		<div className="heading">
			<h1>{t("images")}</h1>
			{page.total !== undefined && (
				<p className="soft">{page.total === null ? t("images.many") : countOf(page.total)}</p>
			)}
			<div className="menus">{children}</div>
		</div>
	);
}

function countOf(images: number): ReactNode {
	return t("images.count", { images });
}

interface BarProps {
	readonly here: string;
	readonly filter: Filter;
	readonly view: ListPlace["view"];
}

function Views({ here, filter, view }: BarProps) {
	const other = view === "table" ? "grid" : "table";
	return (
		<a className="button quiet" href={here + queryOf(filter, { view: other })}>
			{t(`view.${other}`)}
		</a>
	);
}

function Empty({ here, filter }: Pick<BarProps, "here" | "filter">) {
	const isAll = Object.keys(filter).length === 0;
	return (
		<div className="empty">
			<p className="soft">{isAll ? t("images.none") : t("images.none.filter")}</p>
			{!isAll && (
				<a className="button quiet" href={here}>
					{t("chosen.back")}
				</a>
			)}
		</div>
	);
}

interface PagerProps {
	readonly here: string;
	readonly filter: Filter;
	readonly place: ListPlace;
	readonly next: string | null;
}

function Pager({ here, filter, place, next }: PagerProps) {
	const label = usePlain()(t("pages"));
	const before = previousPlace(place);
	if (!before && next === null) return null;
	return (
		<nav className="pager" aria-label={label}>
			{before && (
				<a rel="prev" data-keys="p" href={here + queryOf(filter, before)}>
					{t("previous")}
				</a>
			)}
			{next !== null && (
				<a rel="next" data-keys="n" href={here + queryOf(filter, nextPlace(place, next))}>
					{t("next")}
				</a>
			)}
		</nav>
	);
}
