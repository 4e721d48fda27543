--
-- PostgreSQL database dump
--

-- Dumped from database version 16.4
-- Dumped by pg_dump version 16.4

SET statement_timeout = 0;
SET client_encoding = 'UTF8';

CREATE TABLE public.session (
    session_id uuid NOT NULL,
    website_id uuid
);

--
-- Data for Name: event_data; Type: TABLE DATA; Schema: public; Owner: umami
--

COPY public.event_data (event_data_id, website_id, data_key) FROM stdin;
d1	w1	plan
\.


COPY public.session (session_id, website_id, browser, os, device, screen, language, country, region, city, created_at) FROM stdin;
s1	w1	chrome	Windows 10	desktop	1920x1080	en-US	DE	DE-BE	Berlin	2026-11-20 10:00:00+00
s2	w2	ios	iOS	mobile	390x844	de	AT	\N	\N	2026-11-20 10:00:00+00
\.


COPY public.website_event (event_id, website_id, session_id, visit_id, created_at, url_path, url_query, referrer_path, referrer_query, referrer_domain, page_title, event_type, event_name, hostname, tag) FROM stdin;
e1	w1	s1	v1	2026-11-20 10:00:00.25+00	/dump	utm_source=mail	/search	\N	google.com	Tab\tand \\ slash	1	\N	shop.example	\N
e2	w1	s1	v1	2026-11-20 10:01:00+00	/dump			\N	\N	Dump	2	signup	shop.example	\N
e3	w2	s2	v2	2026-11-20 10:01:00+00	/			\N	\N	Other	1	\N	other.example	\N
e4	w1	s1
\.


--
-- PostgreSQL database dump complete
--

