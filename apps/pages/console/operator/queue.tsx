import { MODERATION_STATES } from "@svc/sdk/lists";
import type { ModerationItem } from "@svc/sdk/shapes";
import { Notice } from "../../kit/parts.tsx";
import type { Page, PageResult } from "../../kit/visit.ts";
import { Pager } from "../kit/pager.tsx";
import type { ConsoleVisit, Refused, Screen } from "../kit/visit.ts";
import { Box, Card, cardOf, Small } from "./card.tsx";
import { Decided, decisionOf, isVerb, QUEUE } from "./deeds.tsx";
import { asked, Facets, operatorPage, refusal } from "./operator.tsx";
import { actOnMany, ManyDeeds, takeBack } from "./several.tsx";

/* The pictures that wait for an operator: one below the other and large, or small and many beside each other. */

export const queueScreen: Screen = {
	path: "/operator/moderation",
	get: showQueue,
	acts: {
		lock: (post) => actOnMany(post, "lock"),
		unlock: (post) => actOnMany(post, "unlock"),
		block: (post) => actOnMany(post, "block"),
		unblock: (post) => actOnMany(post, "unblock"),
		nsfw: (post) => actOnMany(post, "nsfw"),
		not_nsfw: (post) => actOnMany(post, "not_nsfw"),
		undo: takeBack,
	},
};

/** Few large ones, so that a page is there at once; of the small ones as many as can be decided of together. */
const PAGE_SIZE = { list: 12, grid: 100 };

async function showQueue(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const view = asked(visit, "view") === "grid" ? "grid" : "list";
	const [state, app, similar] = [asked(visit, "state"), asked(visit, "app"), asked(visit, "similar_to")];
	const { data, pagination } = await visit.api.moderation.list({
		limit: PAGE_SIZE[view],
		cursor: asked(visit, "cursor"),
		...(state !== undefined && { state }),
		...(app !== undefined && { app }),
		...(similar !== undefined && { similar_to: similar }),
	});
	const ids = visit.url.searchParams.getAll("ids");
	const chosen = data.filter(({ id }) => ids.includes(id));
	return ids.length > 0
		? chosenPage(visit, { items: chosen, refused })
		: listPage(visit, { items: data, next: pagination.next_cursor, view, refused });
}

interface ListProps {
	readonly items: readonly ModerationItem[];
	readonly refused: Refused | undefined;
}

function listPage(
	visit: ConsoleVisit,
	{ items, next, view, refused }: ListProps & { readonly next: string | null; readonly view: "list" | "grid" },
): Page {
	const back = visit.url.search;
	const similar = asked(visit, "similar_to");
	const state = asked(visit, "state") ?? (similar && "all");
	return operatorPage(visit, {
		screen: "moderation",
		heading: <Heading visit={visit} view={view} />,
		scripts: ["select", "copy", "moderate"],
		done: <Done visit={visit} />,
		children: (
			<>
				{refusal(refused)}
				<div className="narrowing">
					<Facets label="Queues" here={QUEUE} name="state" values={MODERATION_STATES} value={state} shortcut="s" />
					<Choose visit={visit} />
				</div>
				{similar !== undefined && (
					<p>
						Pictures of all Apps that are like <a href={`${QUEUE}/${similar}`}>{similar}</a>
					</p>
				)}
				{state === "locked" && <Notice>What is locked is still served until it is decided.</Notice>}
				<p className="news" hidden data-new>
					<a className="button quiet slim" href={QUEUE + back}>
						There is something new
					</a>
				</p>
				{items.length === 0 && <p className="empty soft">No picture is in this queue.</p>}
				{items.length > 0 &&
					(view === "grid" ? <Grid items={items} /> : <List visit={visit} items={items} back={back} />)}
				<Pager visit={visit} next={next} keys={["[", "]"]} />
			</>
		),
	});
}

function Heading({ visit, view }: { readonly visit: ConsoleVisit; readonly view: "list" | "grid" }) {
	const { searchParams } = visit.url;
	const query = new URLSearchParams(searchParams);
	for (const name of ["view", "cursor", "trail"]) query.delete(name);
	if (view === "list") query.set("view", "grid");
	return (
		<div className="heading">
			<h1>Moderation</h1>
			<div className="menus">
				<a className="button quiet slim" href={`${QUEUE}?${query}`}>
					{view === "list" ? "Small pictures" : "Large pictures"}
				</a>
				<a className="button quiet slim" href={QUEUE + visit.url.search} data-keys="r">
					Refresh
				</a>
			</div>
		</div>
	);
}

/** Leads to what can be done with the marked pictures; with a script the same stands beside it. */
function Choose({ visit }: { readonly visit: ConsoleVisit }) {
	const kept = [...visit.url.searchParams].filter(([name]) => name !== "ids" && name !== "trail");
	return (
		<>
			<form
				id="choose"
				className="chosen"
				method="get"
				action={QUEUE}
				data-said="{images} selected"
				data-full="No more than 100 at once."
			>
				{kept.map(([name, value]) => (
					<input key={name} type="hidden" name={name} value={value} />
				))}
				<label className="whole" hidden>
					<input type="checkbox" data-keys="a" /> All of the page
				</label>
				<button className="quiet slim" type="submit" data-text="{images} selected">
					What is selected
				</button>
				<button className="plain" type="button" hidden data-keys="Escape">
					Select none
				</button>
				<span className="fault" data-note />
			</form>
			<ManyDeeds visit={visit} ids="" count={undefined} />
		</>
	);
}

function Done({ visit }: { readonly visit: ConsoleVisit }) {
	const decision = decisionOf(visit);
	if (!decision) return <Notice answers>{visit.done?.what}</Notice>;
	return isVerb(decision.verb) && <Decided visit={visit} decision={decision} back={visit.url.search} />;
}

interface ShownProps {
	readonly visit: ConsoleVisit;
	readonly items: readonly ModerationItem[];
	readonly back: string;
}

function List({ visit, items, back }: ShownProps) {
	return (
		<ul className="queue" aria-label="Pictures" data-failed="The service could not be reached; nothing was changed.">
			{items.map((item) => (
				<li key={item.id} {...cardOf(item)}>
					<Card visit={visit} item={item} back={back} />
				</li>
			))}
		</ul>
	);
}

function Grid({ items }: { readonly items: readonly ModerationItem[] }) {
	return (
		<ul className="grid" aria-label="Pictures">
			{items.map((item) => (
				<li key={item.id} id={item.id} data-item={cardOf(item)["data-item"]}>
					<Box item={item} />
					<a href={`${QUEUE}/${item.id}`}>
						<Small item={item} />
						<span className="file">
							<bdi>{item.image.filename}</bdi>
						</span>
					</a>
				</li>
			))}
		</ul>
	);
}

/** What can be done with the marked ones of a page, where no script runs. */
function chosenPage(visit: ConsoleVisit, { items, refused }: ListProps): Page {
	const ids = items.map(({ id }) => id).join(",");
	const title = items.length === 1 ? "1 picture" : `${items.length} pictures`;
	return operatorPage(visit, {
		screen: "moderation",
		title,
		children: (
			<>
				{refusal(refused)}
				{items.length > 0 && (
					<>
						<ul className="grid small" aria-label="Pictures">
							{items.map((item) => (
								<li key={item.id}>
									<Small item={item} />
								</li>
							))}
						</ul>
						<ManyDeeds visit={visit} ids={ids} count={items.length} />
					</>
				)}
				{items.length === 0 && <p className="empty soft">They are not in this queue any more.</p>}
				<p>
					<a href={QUEUE}>Back to the queue</a>
				</p>
			</>
		),
	});
}
