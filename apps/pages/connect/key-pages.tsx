import type { UserKey } from "@svc/connect/user-keys";
import { ANSWERS, Day, Field, Notice, PostForm } from "../kit/parts.tsx";
import { type Page, show } from "../kit/visit.ts";

/* A person's own keys for a storage of theirs. */

/** The storage that the keys belong to. */
export interface Keyring {
	/** Path of the page about the storage. */
	readonly path: string;
	/** Null: the person's own storage, outside of every App, where keys may write as well. */
	readonly app: { readonly name: string; readonly id: string } | null;
}

interface KeysProps {
	readonly keyring: Keyring;
	readonly keys: readonly UserKey[];
	readonly token: string;
	/** A key that has just been made; its secret is on this page and nowhere else. */
	readonly made?: { readonly name: string; readonly secret: string };
	readonly name?: string | undefined;
	readonly fault?: string | undefined;
	readonly notice?: string | undefined;
	readonly status?: number;
}

export function keysPage({ keyring, keys, token, made, name, fault, notice, status = 200 }: KeysProps): Page {
	const { app, path } = keyring;
	const body = (
		<>
			<div className="stack">
				<p className="small">
					<a className="back" href="/account">
						← Your account
					</a>
				</p>
				<h1>Your keys for {app ? <bdi>{app.name}</bdi> : "your own storage"}</h1>
				<p className="soft">
					{app
						? "A key lets a program of yours read your pictures in this App, to copy them for example. It can never change or delete anything."
						: "A key lets a program of yours into your own storage, which no App can reach. Whoever has it can do what it may do: keep it to yourself."}
				</p>
			</div>
			{notice && <Notice answers>{notice}</Notice>}
			{made && <MadeKey {...made} />}
			<section className="card" aria-labelledby="keys">
				<h2 id="keys">Keys</h2>
				{keys.length === 0 ? (
					<p className="soft">You have no key here.</p>
				) : (
					<ul className="rows">
						{keys.map((key) => (
							<KeyRow key={key.id} record={key} path={path} token={token} />
						))}
					</ul>
				)}
			</section>
			<section className="card" aria-labelledby="new">
				<h2 id="new">Make a key</h2>
				<PostForm action={path} token={token}>
					<Field
						name="name"
						label="Name"
						hint="To know it by, such as “Backup at home”."
						fault={fault}
						input={{ type: "text", maxLength: 100, required: true, autoComplete: "off", defaultValue: name ?? "" }}
					/>
					{!app && <Abilities />}
					<div>
						<button className="primary" type="submit">
							{app ? "Make a read-only key" : "Make a key"}
						</button>
					</div>
				</PostForm>
			</section>
		</>
	);
	return show(`Your keys for ${app?.name ?? "your own storage"}`, body, { wide: true, status });
}

const ABILITIES = { read: "Read pictures", write: "Read, store, change and delete pictures" };

function Abilities() {
	return (
		<fieldset>
			<legend>What may it do?</legend>
			{Object.entries(ABILITIES).map(([value, label]) => (
				<label className="choice" key={value}>
					<input type="radio" name="may" value={value} required defaultChecked={value === "read"} />
					<span>{label}</span>
				</label>
			))}
		</fieldset>
	);
}

function MadeKey({ name, secret }: { readonly name: string; readonly secret: string }) {
	return (
		<section className="card" aria-labelledby="made">
			<div className="stack" {...ANSWERS} role="status">
				<h2 id="made">
					The key “<bdi>{name}</bdi>” is made
				</h2>
				<p>
					Copy it now: <strong>it is never shown again.</strong>
				</p>
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
					· {record.permissions.has("write") ? "reads and writes" : "reads"} · made <Day ms={record.createdMs} /> ·{" "}
					{record.lastUsedMs === null ? (
						"never used"
					) : (
						<>
							last used <Day ms={record.lastUsedMs} />
						</>
					)}
				</p>
			</div>
			<div className="acts">
				<PostForm action={`${path}/${record.id}/revoke`} token={token}>
					<button className="quiet slim" type="submit" aria-label={`Revoke ${record.name}`}>
						Revoke
					</button>
				</PostForm>
			</div>
		</li>
	);
}
