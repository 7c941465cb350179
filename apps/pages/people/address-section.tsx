import { EMAIL_INPUT, Field, Name, PostForm } from "../kit/parts.tsx";
import type { Text } from "../kit/text.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* The address of the account. */

export const addressSection: Section = {
	id: "address",
	title: "Your address",
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
		<SectionCard id="address" title="Your address">
			<p className="soft">
				Codes and letters go to <Name>{email}</Name>. To change it takes a code to the new address.
			</p>
			<PostForm action="/account/address" token={token}>
				<Field
					name="email"
					label="New e-mail address"
					hint="You are then signed out everywhere else, and your tokens are revoked. For 7 days a letter to the old address leads back to it."
					fault={fault}
					input={{ ...EMAIL_INPUT, autoComplete: "off", required: true, defaultValue: typed }}
				/>
				<div>
					<button className="quiet slim" type="submit">
						Change address
					</button>
				</div>
			</PostForm>
		</SectionCard>
	);
}
