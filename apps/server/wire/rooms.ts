import { openApps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { BlobStore, BlobTrash } from "@svc/base/ports";
import type { MovableClock } from "@svc/billing/simulated/movable-clock-store";
import { userLimits } from "@svc/billing/subscriptions/user-limits-store";
import { openConnect } from "@svc/connect/room";
import { openDelivery } from "@svc/delivery/room";
import { openErasure } from "@svc/erasure/room";
import { openEvents } from "@svc/events/room";
import { openExports } from "@svc/exports/room";
import { openImageJobs } from "@svc/image-jobs/room";
import type { QuotaRefusal } from "@svc/images/create/create-failure";
import type { Image } from "@svc/images/images";
import type { Masters } from "@svc/images/keep/masters";
import type { ShrinkQueue } from "@svc/images/ports";
import { openImages } from "@svc/images/room";
import { safeImporter } from "@svc/import/safe-fetch";
import { safePoster } from "@svc/import/safe-post";
import { textFinder } from "@svc/import/text-records";
import { openImports } from "@svc/imports/room";
import { openJobs } from "@svc/jobs/room";
import { openKeys } from "@svc/keys/room";
import { openModeration } from "@svc/moderation/room";
import { openMoves } from "@svc/moves/room";
import { type Instance, openOperator } from "@svc/operator/room";
import { openPeople } from "@svc/people/room";
import { openPurging } from "@svc/purging/room";
import { openTickets } from "@svc/tickets/room";
import type { Variant } from "@svc/variants/variant";
import type { Describe } from "@svc/webhooks/ports";
import { openWebhooks } from "@svc/webhooks/room";
import type { Config } from "../config/config.ts";
import { billingRoom, graceMsOf } from "./billing.ts";
import { mailRoom } from "./mail.ts";
import type { Pictures } from "./pictures.ts";
import { openBackups } from "./storage/backups.ts";

export type Rooms = Awaited<ReturnType<typeof openRooms>>;

interface RoomParts {
	readonly variant: Variant;
	readonly blobs: BlobStore;
	readonly trash: BlobTrash;
	readonly masters: Masters;
	readonly pictures: Pictures;
	/** Told of each image that is ready. */
	readonly shrunkMasters: ShrinkQueue;
	readonly movableClock: MovableClock | undefined;
	readonly instance: Instance;
	/** Tells the workers that a job is due. */
	readonly wakeJobs: () => void;
	/** What the API says of an account, for its export. */
	readonly describeAccount: Parameters<typeof openExports>[2]["documents"]["account"];
	/** What it says of events. */
	readonly describeEvents: Describe;
	/** The handler of the API's own address. */
	readonly api: (request: Request) => Promise<Response>;
}

/** All rooms, the lowest first: each is given those below it that it works with. */
export async function openRooms(config: Config, base: Base, database: Database, parts: RoomParts) {
	const { variant, movableClock, api, instance } = parts;
	const jobs = openJobs(base, database, parts.wakeJobs);
	const events = openEvents(base, database);
	const mail = await mailRoom(config, base, database);
	const signInRates = { email: config.signInEmailRate, address: config.signInIpRate };
	const people = await openPeople(base, database, { signInRates });
	const apps = openApps(base, database, { jobs, people, findTexts: textFinder(config.dnsServer) });
	// Opened before billing: the service itself sells plans of its own App.
	await variant.prepare({ ...base, ownApp: apps.ownApp });
	const keys = openKeys(base, database, { apps, userIgnored: variant.keys.userIgnored });
	const images = await openImages(base, database, { apps, ...imageParts(config, base, parts) });
	const delivery = await openDelivery(base, database, { apps });
	const purging = await openPurging(base, database, config.purge);
	const userKeyPrefix = variant.keys.userPrefix(base.mode);
	const usersLimits = variant.limits.users;
	const { consentVersion } = config;
	const connect = openConnect(base, database, { jobs, people, usersLimits, consentVersion, userKeyPrefix });
	const tickets = await openTickets(base, database, { keys, images });
	const imports = openImports(base, database, { jobs, keys, images, rules: variant.files });
	const imageJobs = openImageJobs(base, database, { jobs, keys, images });
	const documents = {
		image: (image: Image) => variant.image.encode(image, base.addresses),
		account: parts.describeAccount,
	};
	const exports = openExports(base, database, { jobs, images, people, documents });
	const moves = openMoves(base, database, { jobs, apps, images, rules: variant.files });
	const moderation = await openModeration(base, database, { images, similar: config.similar });
	const webhooks = openWebhooks(base, database, {
		...{ jobs, events, apps },
		poster: safePoster({ allow: config.importAllow }),
		describe: parts.describeEvents,
		chance: Math.random,
	});
	const { card, unsold, appPlans } = variant.billing;
	const sold = { seller: card.seller, unsold, appPlans };
	const billing = await billingRoom(config, base, database, { apps, connect, movableClock, ...sold, api });
	const erasure = openErasure(base, database, {
		jobs,
		events,
		mail,
		people,
		keys,
		images,
		connect,
		tickets,
		imports,
		exports,
		moves,
		moderation,
		billing,
	});
	const { bootstrapSecret } = config;
	const backups = openBackups(config, database, base.log);
	const operator = openOperator(base, database, {
		jobs,
		people,
		images,
		billing,
		...backups,
		bootstrapSecret,
		instance,
	});
	return {
		...{ jobs, events, mail, people, apps, keys, images, delivery, purging, connect, tickets, imports, exports },
		...{ imageJobs, moves, moderation, webhooks, billing, erasure, operator },
	};
}

function imageParts(
	config: Config,
	{ addresses }: Base,
	{ variant, blobs, trash, masters, pictures, shrunkMasters }: RoomParts,
) {
	const { usage, image } = variant;
	return {
		blobs,
		trash,
		masters,
		renditions: pictures.cache,
		inspector: pictures.inspector,
		shrunkMasters,
		looks: pictures.looks,
		likenesses: pictures.shrunkMasters,
		importer: safeImporter({ allow: config.importAllow }),
		quotaOf: usage.quota,
		userLimits: userLimits(graceMsOf(config)),
		quotaRefusal: (...[access, counted]: Parameters<QuotaRefusal>) => usage.quotaRefusal(access, counted, addresses),
		listed: image.listed,
	};
}
