"""python_peers.py PEER URL: one crawl by a peer, in the way that its documentation shows."""
import gzip
import hashlib
import json
import logging
import os
import resource
import sys
import time
import urllib.request

peer, url = sys.argv[1:]
logging.disable(logging.CRITICAL)
keep = "BENCH_DIGEST" in os.environ


def scrapy():
    from scrapy.utils.sitemap import Sitemap

    begin()

    def body(address):
        data = urllib.request.urlopen(address).read()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data

    def walk(address):
        sitemap = Sitemap(body(address))
        for entry in sitemap:
            if sitemap.type == "sitemapindex":
                yield from walk(entry["loc"])
            else:
                yield entry["loc"]

    yield from walk(url)


def usp():
    from usp.fetch_parse import SitemapFetcher
    from usp.web_client.requests_client import RequestsWebClient

    begin()
    tree = SitemapFetcher(url=url, recursion_level=0, web_client=RequestsWebClient()).sitemap()
    for page in tree.all_pages():
        yield page.url


def advertools():
    import advertools

    begin()
    yield from advertools.sitemap_to_df(url)["loc"].tolist()


def begin():
    global started, before
    started, before = time.perf_counter(), time.process_time()


started = before = 0.0
locs, count = [], 0
for loc in {"scrapy": scrapy, "ultimate-sitemap-parser": usp, "advertools": advertools}[peer]():
    count += 1
    if keep:
        locs.append(loc)
seconds, cpu = time.perf_counter() - started, time.process_time() - before
digest = hashlib.sha256("\n".join(sorted(locs, key=lambda s: s.encode("utf-16-be"))).encode()).hexdigest() if keep else ""
rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
print(json.dumps({"seconds": seconds, "cpuSeconds": cpu, "rssMb": rss, "urls": count, "sha256": digest}))
