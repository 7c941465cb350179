import { existsSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

/*
 * Every file of test/http runs in every interface version, but those that are named here with the reason. Within a file the marks of the
 * specification in a title, such as [C] or [C][T], say that a test is about what holds in those versions alone.
 *
 *   bun test/house/every-variant.ts legacy     prints a line for `bun test`: which titles, and which files
 */

export const VARIANTS = ["current", "transition", "legacy"] as const;
type Variant = (typeof VARIANTS)[number];

interface Exceptions {
	readonly in: readonly Variant[];
	readonly why: string;
	/** Below test/http. */
	readonly files: readonly string[];
	/** Where the code is that they are about, if none of it asks what an interface version wants. */
	readonly about?: readonly string[];
}

export const EXCEPTIONS: readonly Exceptions[] = [
	{
		in: ["current"],
		why: "each names the versions of its services itself: run once, it has tried them all",
		files: [
			"billing/app-tiers.test.ts",
			"billing/grants.test.ts",
			"billing/own-plan.test.ts",
			"billing/sellers.test.ts",
			"billing/storage-billing-status.test.ts",
			"billing/stripe-tiers.test.ts",
			"billing/tier-card.test.ts",
			"billing/tier-quotas.test.ts",
			"billing/unsold-app-plans.test.ts",
			"billing/unsold-cancelled.test.ts",
			"billing/unsold.test.ts",
			"billing/what-an-app-buys.test.ts",
			"connect/own-storage-page.test.ts",
			"connect/own-storage.test.ts",
			"docs/recipes.test.ts",
			"docs/reference.test.ts",
			"events/every-type.test.ts",
			"events/order.test.ts",
			"events/subscription-events.test.ts",
			"images/anonymous-cap.test.ts",
			"images/anonymous-creates.test.ts",
			"images/app-images.test.ts",
			"images/changed-limits.test.ts",
			"images/image-jobs.test.ts",
			"images/image-page.test.ts",
			"images/lost-authority.test.ts",
			"images/public-reads.test.ts",
			"images/queued-files.test.ts",
			"images/sitemap.test.ts",
			"images/transition-limits.test.ts",
			"images/upgraded-formats.test.ts",
			"images/visibility.test.ts",
			"imports/imports.test.ts",
			"keys/own-keys.test.ts",
			"kit/census.test.ts",
			"kit/document-examples.test.ts",
			"kit/every-path.test.ts",
			"kit/hostile-json.test.ts",
			"kit/lasting-calls.test.ts",
			"kit/open-routes.test.ts",
			"kit/queries.test.ts",
			"kit/replay-scope.test.ts",
			"mcp/door.test.ts",
			"mcp/tools.test.ts",
			"moderation/scans.test.ts",
			"pages/app-on-pages.test.ts",
			"pages/every-route.test.ts",
			"transform-host/delivery.test.ts",
			"transform-host/plain-addresses.test.ts",
		],
	},
	{
		in: ["current"],
		why: "what Apps get beyond the specification is in the newest version alone",
		files: [
			"events/app-events.test.ts",
			"events/erasure.test.ts",
			"events/feed.test.ts",
			"images/copy.test.ts",
			"images/daily-usage.test.ts",
			"images/external-id.test.ts",
			"images/facts.test.ts",
			"images/filters.test.ts",
			"images/if-revision.test.ts",
			"images/move.test.ts",
			"images/plan-limits.test.ts",
			"images/preview.test.ts",
			"images/replace.test.ts",
			"images/restore.test.ts",
			"images/sign.test.ts",
			"operator/deployment-secret.test.ts",
			"operator/stolen-backup.test.ts",
			"tickets/ticket-authority.test.ts",
			"tickets/upload-tickets.test.ts",
			"tickets/uploads.test.ts",
			"transform-host/link-bounds.test.ts",
			"webhooks/deliveries.test.ts",
			"webhooks/endpoints.test.ts",
			"webhooks/failing-receivers.test.ts",
		],
	},
	{
		in: ["current"],
		why: "an App's own plans as the newest version sells them; own-plan.test.ts tries what the others sell instead",
		files: ["billing/app-billing.test.ts", "billing/app-plan-grants.test.ts"],
	},
	{
		in: ["current"],
		why: "GET /v1/billing/plans is in the newest version alone",
		files: ["billing/billing-plans.test.ts"],
	},
	{
		in: ["current"],
		why: "the documentation tells of the newest version; it is the same files in each",
		files: ["docs/claims.test.ts", "docs/downloads.test.ts", "docs/hosted-pages.test.ts", "docs/search.test.ts"],
	},
	{
		in: ["current", "transition"],
		why: "what an App's users buy at its card, which sells the service's tiers in legacy: tier-card.test.ts",
		files: [
			"billing/audited-deeds.test.ts",
			"billing/billing-card.test.ts",
			"billing/billing-health.test.ts",
			"billing/billing-leaving.test.ts",
			"billing/billing-mails.test.ts",
			"billing/billing-status.test.ts",
			"billing/billing-trials.test.ts",
			"billing/change-previews.test.ts",
			"billing/closed-checkouts.test.ts",
			"billing/disputes.test.ts",
			"billing/operator-subscriptions.test.ts",
			"billing/own-plans.test.ts",
			"billing/paused-apps.test.ts",
			"billing/plan-pages.test.ts",
			"billing/seller-refunds.test.ts",
			"billing/stripe-events.test.ts",
			"billing/stripe-lost-deliveries.test.ts",
			"billing/stripe-mails.test.ts",
			"billing/stripe-tax.test.ts",
			"billing/stripe.test.ts",
			"billing/tax.test.ts",
			"billing/wrong-processor.test.ts",
			"console/selling.test.ts",
		],
	},
	{
		in: ["current", "transition"],
		why: "legacy takes other formats, and finishes some of them later: queued-files.test.ts",
		files: ["images/corpus.test.ts"],
	},
	{
		in: ["current"],
		why: "no interface version is spoken: blobs, disks and memory below it",
		files: [
			"images/create-memory.test.ts",
			"images/s3-faults.test.ts",
			"operator/backup-bucket.test.ts",
			"operator/backup-schedule.test.ts",
			"transform-host/bucket-away.test.ts",
			"transform-host/cdn-shrunk-masters.test.ts",
			"transform-host/damage.test.ts",
		],
	},
	{
		in: ["current"],
		why: "what the transform host makes of a picture is the same code in each; what it answers to whom is tried in each",
		about: [
			"apps/cdn",
			"packages/delivery",
			"packages/finders",
			"packages/images/layout",
			"packages/images/transform",
			"packages/imaging",
		],
		files: [
			"transform-host/cdn-analysis.test.ts",
			"transform-host/cdn-metadata.test.ts",
			"transform-host/kept-originals.test.ts",
			"transform-host/remade-renditions.test.ts",
			"transform-host/shapes.test.ts",
			"transform-host/unchanged-renditions.test.ts",
		],
	},
	{
		in: ["current"],
		why: "copies and what is compared with them are the same code in each: rows and files, whatever they say",
		about: ["packages/operator", "packages/storage", "apps/api/operator/operator.ts", "apps/api/operator/trash.ts"],
		files: ["operator/backups.test.ts", "operator/reconcile.test.ts", "operator/scrub.test.ts"],
	},
];

/** The files that run in a version, as paths from the root of the checkout. @throws Error where a named file is not there */
export function filesIn(root: string, variant: Variant, exceptions = EXCEPTIONS): readonly string[] {
	const folder = join(root, "test/http");
	const named = exceptions.flatMap(({ files }) => files);
	const gone = named.filter((file, place) => !existsSync(join(folder, file)) || named.indexOf(file) !== place);
	if (gone.length > 0) throw new Error(`named as exceptions, but not there, or twice: ${gone.join(", ")}`);
	const leftOut = new Set(exceptions.filter((one) => !one.in.includes(variant)).flatMap(({ files }) => files));
	return [...new Glob("**/*.test.ts").scanSync({ cwd: folder })]
		.filter((file) => !leftOut.has(file))
		.sort()
		.map((file) => `test/http/${file}`);
}

/** The titles that run in a version: those without marks, and those with its own. */
export function titlesIn(variant: Variant): string {
	return `^(?!.*\\[[CTL]\\])|\\[${variant.charAt(0).toUpperCase()}\\]`;
}

if (import.meta.main) {
	const wanted = VARIANTS.find((variant) => variant === process.argv[2]);
	if (wanted === undefined) throw new Error(`an interface version: ${VARIANTS.join(", ")}`);
	const files = filesIn(join(import.meta.dirname, "../.."), wanted);
	process.stdout.write(`-t ${titlesIn(wanted)} ${files.join(" ")}\n`);
}
