import type { App, Job } from "@svc/sdk/shapes";
import { Alert } from "../../kit/parts.tsx";
import { type Text, usePlain } from "../../kit/text.ts";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { apiFilter, type Filter, filterOf, queryOf, textsOf } from "../images/filter.ts";
import { isShown, Plate } from "../images/grid.tsx";
import { type ImagesPage, listPage, ofThumbs } from "../images/listing.ts";
import { refusedText } from "../images/search.tsx";
import { Thumb } from "../images/thumb.tsx";
import { ActForm, mapOf, requirePairs, TextArea, TextField } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { type ConsolePost, type ConsoleVisit, canEdit, clientOf, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { allQuery, Download } from "./choose.tsx";
import { UNDO } from "./job.tsx";

/* What can be done with many pictures at once: those that were ticked, or all that fit the filter. */

export const chosenScreen: Screen = {
	path: "/:app/images/chosen",
	get: showChosen,
	acts: { labels: act, ttl: act, delete: act, restore: act, move: act },
};

/** So many of them are shown. */
const SHOWN = 24;

interface Chosen {
	/** As the API's filter takes it. */
	readonly filter: Filter & { readonly ids?: string };
	/** The same as the query of a screen. */
	readonly query: string;
}

/** Ticked pictures are chosen by their ids alone, whatever the list was narrowed by. */
export function chosenOf({ url }: Pick<ConsoleVisit, "url">): Chosen {
	// In which order the list stood changes nothing.
	const { order: _, ...filter } = filterOf(url);
	const ids = url.searchParams.getAll("ids").join(",");
	if (url.searchParams.has("all") || !url.searchParams.has("ids")) return { filter, query: allQuery(filter) };
	const kept = { storage: filter.storage, state: filter.state };
	return { filter: { ...kept, ids }, query: `?${new URLSearchParams(textsOf({ ...kept, ids }))}` };
}

async function showChosen(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const { app: id = "" } = visit.params;
	const { searchParams } = visit.url;
	if (!searchParams.has("all") && !searchParams.has("ids"))
		return redirect(`/console/${id}/images${queryOf(filterOf(visit.url))}`);
	const { filter, query } = chosenOf(visit);
	const [app, page] = await Promise.all([
		visit.api.apps.get(id),
		listPage(visit, filter, { cursor: undefined, trail: [], view: "grid" }, [
			...(filter.ids ? [] : ["total"]),
			...ofThumbs(visit),
		]),
	]);
	return chosenPage(visit, { app, filter, query, page, refused });
}

interface ChosenProps extends Chosen {
	readonly app: App;
	readonly page: ImagesPage;
	readonly refused: Refused | undefined;
}

function chosenPage(visit: ConsoleVisit, { app, filter, query, page, refused }: ChosenProps): Page {
	const images = page.total === undefined ? page.data.length : page.total;
	const title = images === null ? t("images.many") : t("chosen", { images });
	const children = (
		<>
			<ul className="grid small">
				{page.data.slice(0, SHOWN).map((image) => (
					<li key={image.id}>{isShown(image) ? <Thumb image={image} /> : <Plate image={image} />}</li>
				))}
			</ul>
			{refused?.act === "zip" && <Alert answers>{refusedText(refused)}</Alert>}
			{filter.state === undefined && (
				<p>
					<Download here={`/console/${app.id}/images`} query={query} />
				</p>
			)}
			{canEdit(app) && (
				<Deeds
					visit={visit}
					action={`/console/${app.id}/images/chosen${query}`}
					images={images}
					isDeleted={filter.state === "deleted"}
					refused={refused}
				/>
			)}
			<p>
				<a href={`/console/${app.id}/images${queryOf(filterOf(visit.url))}`}>{t("chosen.back")}</a>
			</p>
		</>
	);
	return screenPage(visit, { title, app, screen: "images", children });
}

interface DeedsProps {
	readonly visit: ConsoleVisit;
	readonly action: string;
	/** Null above 100,000. */
	readonly images: number | null;
	readonly isDeleted: boolean;
	readonly refused: Refused | undefined;
}

function Deeds({ visit, action, images, isDeleted, refused }: DeedsProps) {
	const form = { visit, action, refused };
	const plain = usePlain();
	const say = (deed: Text) => (images === null ? plain(deed) : `${plain(deed)} (${images})`);
	if (isDeleted) {
		return (
			<div className="card narrow">
				<ActForm {...form} act="restore">
					<button className="primary" type="submit">
						{say(t("restore"))}
					</button>
				</ActForm>
			</div>
		);
	}
	return (
		<div className="deeds">
			<div className="card">
				<ActForm {...form} act="labels">
					<TextArea act="labels" name="labels" label={t("labels")} hint={t("chosen.labels")} refused={refused} />
					<button className="quiet" type="submit">
						{say(t("chosen.label"))}
					</button>
				</ActForm>
			</div>
			<div className="card">
				<ActForm {...form} act="ttl">
					<TextField
						act="ttl"
						name="ttl"
						label={t("ttl")}
						hint={t("chosen.ttl")}
						refused={refused}
						input={{ required: true }}
					/>
					<button className="quiet" type="submit">
						{say(t("save"))}
					</button>
				</ActForm>
			</div>
			<div className="card">
				<ActForm {...form} act="move">
					<TextField act="move" name="user_id" label={t("user.to")} hint={t("user.hint")} refused={refused} />
					<button className="quiet" type="submit">
						{say(t("move"))}
					</button>
				</ActForm>
			</div>
			<div className="card">
				<ActForm {...form} act="delete">
					<p className="soft">{t("chosen.delete")}</p>
					<button className="danger" type="submit">
						{say(t("delete"))}
					</button>
				</ActForm>
			</div>
		</div>
	);
}

/** What is done to each image, as the API takes it. A label that is typed without a value is removed. */
function actOf({ form }: ConsolePost): Readonly<Record<string, unknown>> {
	const ttl = form.get("ttl")?.trim();
	switch (form.get("act")) {
		case "labels": {
			const typed = form.get("labels") ?? "";
			requirePairs("labels", typed);
			const labels = Object.entries(mapOf(typed)).map(([key, value]) => [key, value || null]);
			return { labels: Object.fromEntries(labels) };
		}
		case "ttl":
			return { ttl: ttl === "-" ? null : ttl };
		case "move":
			return { move: { user_id: form.get("user_id")?.trim() || null } };
		case "restore":
			return { restore: true };
		default:
			return { delete: true };
	}
}

/** All of it is one job, which begins with the images that fit now. */
async function act(post: ConsolePost): Promise<PageResult> {
	const { app = "" } = post.params;
	const { filter: whole, query } = chosenOf(post);
	const { state, ...chosen } = whole;
	const filter = textsOf({ ...apiFilter(chosen), state: state === "deleted" ? undefined : state });
	const { idempotencyKey } = post;
	const job = await clientOf(post, app).request<Job>("POST", `/v1/apps/${app}/image_jobs`, {
		body: { filter, act: actOf(post) },
		...(idempotencyKey !== undefined && { idempotencyKey }),
	});
	const undo = post.form.get("act") === "delete" ? `&${UNDO}=1` : "";
	return redirect(`/console/${app}/jobs/${job.id}${query}${undo}`);
}
