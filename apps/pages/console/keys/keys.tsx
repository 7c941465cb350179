import type { App, ManagedKey } from "@svc/sdk/shapes";
import type { WithSecret } from "@svc/sdk/types";
import { Day } from "../../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { KeyActs } from "./key-acts.tsx";
import { endsSoon, isLive } from "./key-life.ts";
import { type KeyWithSecret, MadeKeyCard, NewKey } from "./new-key.tsx";

/* The keys of an App: those that work, and those that have ended. */

export const keysScreen: Screen = {
	path: "/:app/keys",
	get: showKeys,
	acts: { create, save, rotate, revoke },
};

async function showKeys(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	return await keysPage(visit, { refused });
}

async function keysPage(
	visit: ConsoleVisit,
	{ refused, made }: { readonly refused?: Refused | undefined; readonly made?: KeyWithSecret },
): Promise<Page> {
	const { app: id = "" } = visit.params;
	const cursor = visit.url.searchParams.get("cursor") ?? undefined;
	const [app, { data, pagination }] = await Promise.all([
		visit.api.apps.get(id),
		visit.api.apps.of(id).keys.list({ cursor }),
	]);
	const live = data.filter((key) => isLive(key, visit.nowMs));
	const ended = data.filter((key) => !isLive(key, visit.nowMs));
	const children = (
		<>
			{made && <MadeKeyCard made={made} base={visit.addresses.base} />}
			{hasRole(app, "admin") && (
				<NewKey visit={visit} here={keysPath(app)} refused={refused} open={data.length === 0} />
			)}
			{live.length > 0 && <LiveKeys visit={visit} app={app} keys={live} refused={refused} />}
			{data.length === 0 && <p className="empty soft">{t("keys.none")}</p>}
			{ended.length > 0 && <EndedKeys keys={ended} />}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	return screenPage(visit, { title: t("keys"), app, screen: "keys", scripts: ["copy"], children });
}

function keysPath({ id }: Pick<App, "id">): string {
	return `/console/${id}/keys`;
}

interface LiveKeysProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly keys: readonly ManagedKey[];
	readonly refused: Refused | undefined;
}

function LiveKeys({ visit, app, keys, refused }: LiveKeysProps) {
	const lines = keys.map((key) => ({
		id: key.id,
		cells: [
			<KeyName key="name" of={key} />,
			t(`keys.reach.${key.reach}` as "keys.reach.app"),
			t(`keys.may.${[...key.permissions].sort().join("_")}` as "keys.may.read"),
			<LastUse key="use" of={key} />,
			<div key="end">
				{key.expires_at === null ? t("keys.endless") : <Day ms={Date.parse(key.expires_at)} />}
				{endsSoon(key, visit.nowMs) && <span className="tag warns">{t("keys.soon")}</span>}
			</div>,
			<KeyActs key="acts" visit={visit} app={app} of={key} here={keysPath(app)} refused={refused} />,
		],
	}));
	const columns = [t("name"), t("keys.reach"), t("keys.permissions"), t("keys.used"), t("keys.ends"), ""];
	return <Lines caption={t("keys")} columns={columns} lines={lines} />;
}

function EndedKeys({ keys }: { readonly keys: readonly ManagedKey[] }) {
	const lines = keys.map((key) => {
		const ended = Date.parse(key.revoked_at ?? key.expires_at ?? key.created_at);
		return {
			id: key.id,
			cells: [<KeyName key="name" of={key} />, <LastUse key="use" of={key} />, <Day key="end" ms={ended} />],
		};
	});
	return (
		<details>
			<summary>{t("keys.ended.count", { keys: keys.length })}</summary>
			<Lines caption={t("keys.ended")} columns={[t("name"), t("keys.used"), t("keys.ended.at")]} lines={lines} />
		</details>
	);
}

function KeyName({ of: { name, prefix, last4 } }: { readonly of: ManagedKey }) {
	return (
		<>
			<strong>
				<bdi>{name}</bdi>
			</strong>
			<br />
			<code className="fine">
				{prefix}…{last4}
			</code>
		</>
	);
}

function LastUse({ of: { last_used_at } }: { readonly of: ManagedKey }) {
	return last_used_at === null ? t("keys.never") : <Day ms={Date.parse(last_used_at)} />;
}

/** The secret is on the answer to the form itself: it is kept nowhere that another page could take it from. */
async function create(post: ConsolePost): Promise<PageResult> {
	const text = (name: string) => post.form.get(name) ?? "";
	const key = await keysOf(post).create(
		{
			name: text("name"),
			reach: text("reach") as "app",
			permissions: text("permissions")
				.split(/[\s,]+/)
				.filter(Boolean) as "read"[],
			expiresAt: text("expires_at") || undefined,
		},
		post.idempotencyKey ? { idempotencyKey: post.idempotencyKey } : {},
	);
	return await keysPage(post, { made: key });
}

async function rotate(post: ConsolePost): Promise<PageResult> {
	const made: ManagedKey & WithSecret = await keysOf(post).rotate(
		post.form.get("key") ?? "",
		post.form.get("old_expires_in") || undefined,
	);
	return await keysPage(post, { made });
}

async function save(post: ConsolePost): Promise<PageResult> {
	const changes = { name: post.form.get("name"), expiresAt: post.form.get("expires_at") || null };
	await keysOf(post).edit(post.form.get("key") ?? "", changes);
	await post.leave({ what: "saved" });
	return redirect(keysPath({ id: post.params.app ?? "" }));
}

async function revoke(post: ConsolePost): Promise<PageResult> {
	await keysOf(post).delete(post.form.get("key") ?? "");
	await post.leave({ what: "revoked" });
	return redirect(keysPath({ id: post.params.app ?? "" }));
}

function keysOf({ api, params }: ConsolePost) {
	return api.apps.of(params.app ?? "").keys;
}
