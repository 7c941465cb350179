import type { UserKey } from "@svc/connect/user-key";
import { ANSWERS, Day, Field, Name, Notice, PostForm, strong } from "../kit/parts.tsx";
import { type Text, usePlain } from "../kit/text.ts";
import { type Page, show } from "../kit/visit.ts";
import { t } from "./messages.ts";

/* A person's own keys for a storage of theirs. */

/** The storage that the keys belong to. */
export interface KeyedStorage {
	/** Path of the page about the storage. */
	readonly path: string;
	/** Null: the person's own storage, outside of every App, where keys may write as well. */
	readonly app: { readonly name: string; readonly id: string } | null;
}

interface KeysProps {
	readonly keyring: KeyedStorage;
	readonly keys: readonly UserKey[];
	/** The address of who is signed in. */
	readonly email: string;
	readonly token: string;
	/** A key that has just been made; its secret is on this page and nowhere else. */
	readonly made?: { readonly name: string; readonly secret: string };
	readonly name?: string | undefined;
	readonly fault?: Text | undefined;
	readonly notice?: Text | undefined;
	readonly status?: number;
}

export function keysPage({ keyring, keys, email, token, made, name, fault, notice, status = 200 }: KeysProps): Page {
	const { app, path } = keyring;
	const body = (
		<>
			<div className="stack">
				<p className="small">
					<a className="back" href="/account">
						← {t("keys.back")}
					</a>
				</p>
				<h1>{app ? t("keys.title", { app: <bdi>{app.name}</bdi> }) : t("keys.title.own")}</h1>
				<p className="soft">{t("signed_in", { email: <Name>{email}</Name> })}</p>
				<p className="soft">{t(app ? "keys.about" : "keys.about.own")}</p>
			</div>
			{notice && <Notice answers>{notice}</Notice>}
			{made && <MadeKey {...made} />}
			<section className="card" aria-labelledby="keys">
				<h2 id="keys">{t("keys")}</h2>
				{keys.length === 0 ? (
					<p className="soft">{t("keys.none")}</p>
				) : (
					<ul className="rows">
						{keys.map((key) => (
							<KeyRow key={key.id} record={key} path={path} token={token} />
						))}
					</ul>
				)}
			</section>
			<section className="card" aria-labelledby="new">
				<h2 id="new">{t("keys.make")}</h2>
				<PostForm action={path} token={token}>
					<Field
						name="name"
						label={t("keys.name")}
						hint={t("keys.name.hint")}
						fault={fault}
						input={{ type: "text", maxLength: 100, required: true, autoComplete: "off", defaultValue: name ?? "" }}
					/>
					{!app && <Abilities />}
					<div>
						<button className="primary" type="submit">
							{t(app ? "keys.make.read_only" : "keys.make")}
						</button>
					</div>
				</PostForm>
			</section>
		</>
	);
	return show(app ? t("keys.title", { app: app.name }) : t("keys.title.own"), body, { wide: true, status });
}

const ABILITIES = ["read", "write"] as const;

function Abilities() {
	return (
		<fieldset>
			<legend>{t("keys.may")}</legend>
			{ABILITIES.map((value) => (
				<label className="choice" key={value}>
					<input type="radio" name="may" value={value} required defaultChecked={value === "read"} />
					<span>{t(`keys.may.${value}`)}</span>
				</label>
			))}
		</fieldset>
	);
}

function MadeKey({ name, secret }: { readonly name: string; readonly secret: string }) {
	return (
		<section className="card" aria-labelledby="made">
			<div className="stack" {...ANSWERS} role="status">
				<h2 id="made">{t("keys.made", { name: <bdi>{name}</bdi> })}</h2>
				<p>{t("keys.made.once", { strong })}</p>
			</div>
			<code className="secret">{secret}</code>
		</section>
	);
}

interface KeyRowProps {
	readonly record: UserKey;
	readonly path: string;
	readonly token: string;
}

function KeyRow({ record, path, token }: KeyRowProps) {
	const say = usePlain();
	return (
		<li>
			<div className="what">
				<h3>
					<bdi>{record.name}</bdi>
				</h3>
				<p>
					<code>
						{record.prefix}…{record.last4}
					</code>{" "}
					· {t(record.permissions.has("write") ? "keys.writes" : "keys.reads")} ·{" "}
					{t("keys.created", { day: <Day ms={record.createdMs} /> })} ·{" "}
					{record.lastUsedMs === null ? t("keys.unused") : t("keys.used", { day: <Day ms={record.lastUsedMs} /> })}
				</p>
			</div>
			<div className="acts">
				<PostForm action={`${path}/${record.id}/revoke`} token={token}>
					<button className="quiet slim" type="submit" aria-label={say(t("keys.revoke.one", { name: record.name }))}>
						{t("keys.revoke")}
					</button>
				</PostForm>
			</div>
		</li>
	);
}
