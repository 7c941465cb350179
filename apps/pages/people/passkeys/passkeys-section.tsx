import type { Passkey } from "@svc/people/passkeys/passkey";
import { PASSKEYS_MAX } from "@svc/people/passkeys/passkey";
import { takesPasskeys } from "@svc/people/passkeys/passkey-proofs";
import { listPasskeys } from "@svc/people/passkeys/passkeys";
import { deviceOf, deviceText } from "../../kit/device.ts";
import { Day, Field, Moment, Notice, PostForm } from "../../kit/parts.tsx";
import type { PagesRooms } from "../../kit/rooms.ts";
import { type Text, usePlain } from "../../kit/text.ts";
import type { AccountCall } from "../account/account-call.ts";
import { type Section, SectionCard } from "../account/sections.tsx";
import { t } from "../messages.ts";
import { PasskeyForm } from "./passkey-form.tsx";

/* The passkeys of an account, and the form that adds one. */

export const PASSKEY_NAME_MAX = 100;

export const passkeysSection: Section = {
	id: "passkeys",
	title: t("passkeys"),
	passkeys: true,
	show: (call) => passkeysCard(call),
};

interface Said {
	/** The name as it was typed. */
	readonly typed?: string;
	/** What is wrong with the name. */
	readonly nameFault?: Text;
	/** Why no passkey was added. */
	readonly fault?: Text;
	/** The person has just confirmed who they are, and goes on. */
	readonly confirmed?: boolean;
}

export async function passkeysCard(call: AccountCall, said: Said = {}) {
	const { rooms, person, token, visit } = call;
	const passkeys = await listPasskeys(rooms.people, person, { limit: PASSKEYS_MAX });
	const obstacle = obstacleTo(rooms, passkeys.length);
	return (
		<SectionCard id="passkeys" title={t("passkeys")}>
			<p className="soft">{t(passkeys.length === 0 ? "passkeys.none" : "passkeys.about")}</p>
			{passkeys.length > 0 && (
				<ul className="rows">
					{passkeys.map((passkey) => (
						<PasskeyRow key={passkey.id} passkey={passkey} token={token} />
					))}
				</ul>
			)}
			{obstacle ? (
				<p className="soft">{obstacle}</p>
			) : (
				<AddForm {...said} token={token} device={deviceText(deviceOf(visit.request))} />
			)}
		</SectionCard>
	);
}

/** Why no passkey can be added. */
function obstacleTo({ people }: PagesRooms, held: number): Text | undefined {
	if (!takesPasskeys(people)) return t("passkeys.nameless");
	return held < PASSKEYS_MAX ? undefined : t("passkeys.full", { most: PASSKEYS_MAX });
}

function AddForm({ token, device, typed, nameFault, fault, confirmed }: Said & { token: string; device: Text }) {
	const say = usePlain();
	return (
		<>
			<p className="soft" data-passkey-without="">
				{t("passkeys.without")}
			</p>
			{confirmed && <Notice id="confirmed">{t("passkeys.add.ready")}</Notice>}
			<PasskeyForm
				kind="create"
				action="/account/passkeys"
				options="/account/passkeys/options"
				token={token}
				submit={t("passkeys.add")}
				failed={t("passkeys.add.failed")}
				fault={fault}
				first={confirmed}
			>
				<Field
					name="name"
					label={t("passkeys.name")}
					hint={t("passkeys.name.hint")}
					fault={nameFault}
					about={confirmed ? ["confirmed"] : []}
					input={{
						type: "text",
						autoComplete: "off",
						maxLength: PASSKEY_NAME_MAX,
						required: true,
						defaultValue: typed ?? say(device),
					}}
				/>
			</PasskeyForm>
		</>
	);
}

function PasskeyRow({ passkey, token }: { readonly passkey: Passkey; readonly token: string }) {
	const say = usePlain();
	const { id, name, createdMs, lastUsedMs } = passkey;
	const day = <Day ms={createdMs} />;
	return (
		<li>
			<div className="what">
				<h3>
					<bdi>{name}</bdi>
				</h3>
				<p>
					{lastUsedMs === null
						? t("passkeys.unused", { day })
						: t("passkeys.used", { day, moment: <Moment ms={lastUsedMs} /> })}
				</p>
			</div>
			<div className="acts">
				<PostForm action={`/account/passkeys/${id}/remove`} token={token}>
					<button className="quiet slim" type="submit" aria-label={say(t("passkeys.remove.one", { name }))}>
						{t("passkeys.remove")}
					</button>
				</PostForm>
			</div>
		</li>
	);
}
