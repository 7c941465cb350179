import { ApiError } from "@svc/sdk/failure";
import type { ModerationItem } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { soughtIn } from "../state/lists/seek.ts";
import type { ScreenName } from "../state/screens.ts";
import type { Thing } from "../state/things.ts";
import { type Asked, appOf, clientOf, NotNow, optionsOf, type Page } from "./asked.ts";
import { firstEvents } from "./feed.ts";
import { namedEntries, namesOf } from "./names.ts";
import { loadSubscriptions } from "./subscriptions.ts";
import { loadUsage } from "./usage.ts";

const LOADERS: Record<ScreenName, (asked: Asked) => Promise<Page>> = {
	moderation: loadQueue,
	apps: async (asked) => {
		const { management, operator } = asked;
		const { q } = soughtIn(asked.search);
		return pageOf(
			await (operator
				? management.operator.apps.list({ ...optionsOf(asked), ...(q && { q }) })
				: management.apps.list(optionsOf(asked))),
		);
	},
	keys: async (asked) => {
		const page = await appOf(asked).keys.list(optionsOf(asked));
		const names = await namesOf(
			asked,
			page.data.map(({ created_by }) => created_by),
		);
		return { ...pageOf(page), things: page.data.map((key) => ({ ...key, creator_name: names.get(key.created_by) })) };
	},
	users: async (asked) => {
		const { email } = soughtIn(asked.search);
		return pageOf(await appOf(asked).users.list({ ...optionsOf(asked), ...(email && { email }) }));
	},
	plans: loadPlans,
	usage: loadUsage,
	audit: async (asked) => {
		const { management, operator } = asked;
		const { who, what, since } = soughtIn(asked.search);
		const sought = { ...(who && { actor: who }), ...(what && { event: what }), ...(since && { since }) };
		const { list } = operator ? management.operator.audit : appOf(asked).audit;
		const page = await list({ ...optionsOf(asked), ...sought });
		return { ...pageOf(page), things: await namedEntries(asked, page.data) };
	},
	images: loadImages,
	subscriptions: loadSubscriptions,
	events: firstEvents,
	webhooks: async (asked) => pageOf(await appOf(asked).webhooks.list(optionsOf(asked))),
	deliveries: async (asked) => {
		const { endpoint, queues } = asked;
		if (endpoint === undefined) throw new NotNow("No endpoint is chosen. Press W, and Enter on one of them.");
		const { deliveries: state } = queues;
		const { list } = appOf(asked).webhooks.deliveries(endpoint);
		return pageOf(await list({ ...optionsOf(asked), ...(state !== "all" && { state }) }));
	},
	presets: async (asked) => pageOf(await appOf(asked).presets.list(optionsOf(asked))),
	"signing-keys": async (asked) => pageOf(await appOf(asked).signingKeys.list(optionsOf(asked))),
	tickets: async (asked) => {
		const { tickets: state } = asked.queues;
		return pageOf(await clientOf(asked).tickets.list({ ...optionsOf(asked), ...(state !== "all" && { state }) }));
	},
	trash: async (asked) => {
		if (!asked.operator) throw new NotNow("Only operators see what the service has stored and does not know.");
		return pageOf(await asked.management.operator.trash.list(optionsOf(asked)));
	},
};

/** Screens that show something else, or nothing, where the App is not there for this person. */
const WITHOUT_TEAM: readonly ScreenName[] = ["moderation", "apps", "usage", "trash", "deliveries"];

/** One page of what a screen lists. @throws NotNow, ApiError */
export async function loadPage(asked: Asked): Promise<Page> {
	try {
		return await LOADERS[asked.screen](asked);
	} catch (error) {
		const isMissing = error instanceof ApiError && error.status === 404;
		if (!isMissing || WITHOUT_TEAM.includes(asked.screen)) throw error;
		throw new NotNow("Only the team of this App sees that. Press 2 for the Apps, and Enter on another one.");
	}
}

async function loadImages(asked: Asked): Promise<Page> {
	const { labels, after, before, name } = soughtIn(asked.search);
	const { images } = clientOf(asked);
	const sought = { labels, created: { from: after, to: before }, filenamePrefix: name };
	return pageOf(await images.list({ ...optionsOf(asked), ...sought, user: asked.user ?? null }));
}

/** With whether the App may sell them: whoever fills in a form learns it before. */
async function loadPlans(asked: Asked): Promise<Page> {
	const { management, app = "", operator, signal } = asked;
	const [page, seller] = await Promise.all([
		appOf(asked).plans.list(optionsOf(asked)),
		(operator ? management.operator.apps : management.apps).get(app, { signal }).catch(() => undefined),
	]);
	return { ...pageOf(page), sells: seller?.selling_enabled };
}

async function loadQueue(asked: Asked): Promise<Page> {
	const { management, queues, selected, signal } = asked;
	const found = await management.moderation.list({ ...optionsOf(asked), state: queues.moderation });
	const names = await namesOf(
		asked,
		found.data.map(({ image }) => image.app_id),
	);
	const withApp = (item: ModerationItem) => ({ ...item, app_name: names.get(item.image.app_id) });
	const page = { ...pageOf(found), things: found.data.map(withApp) };
	if (selected === undefined || page.things.some(({ id }) => id === selected)) return page;
	// Another person may have taken it out of the queue while this one looks at it.
	const now = await management.moderation.get(selected, { signal }).catch((error: unknown) => {
		if (error instanceof ApiError && error.status === 404) return undefined;
		throw error;
	});
	return { ...page, selected: now && withApp(now) };
}

function pageOf(list: List<Thing>): Page {
	return { things: list.data, nextCursor: list.pagination.next_cursor ?? undefined };
}
