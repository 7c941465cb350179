import { EMAIL_INPUT, Field, Name, PostForm } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { t } from "../messages.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* The address of the account. */

export const addressSection: Section = {
	id: "address",
	title: t("address"),
	show: async ({ person, token }) => <AddressCard email={person.account.email} token={token} />,
};

interface AddressProps {
	readonly email: string;
	readonly token: string;
	/** The address as it was typed, and what is wrong with it. */
	readonly typed?: string | undefined;
	readonly fault?: Text | undefined;
}

export function AddressCard({ email, token, typed, fault }: AddressProps) {
	return (
		<SectionCard id="address" title={t("address")}>
			<p className="soft">{t("address.about", { email: <Name>{email}</Name> })}</p>
			<PostForm action="/account/address" token={token}>
				<Field
					name="email"
					label={t("address.new")}
					hint={t("address.new.hint")}
					fault={fault}
					input={{ ...EMAIL_INPUT, autoComplete: "off", required: true, defaultValue: typed }}
				/>
				<div>
					<button className="quiet slim" type="submit">
						{t("address.change")}
					</button>
				</div>
			</PostForm>
		</SectionCard>
	);
}
