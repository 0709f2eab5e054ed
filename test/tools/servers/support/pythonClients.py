"""Asks the tool servers as Python programs do, with the standard library. Arguments: the three addresses.

Prints one JSON object: what each server answered, and to a request that is none.
"""

import json
import sys
import urllib.error
import urllib.request

search_url, crawl_url, retrieve_url = sys.argv[1:]


def post(url, data, headers):
    request = urllib.request.Request(url, data=data, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return [response.status, json.load(response)]
    except urllib.error.HTTPError as error:
        return [error.code, json.load(error)]


def chunks(data):
    """A generator has no length: the body goes out chunk by chunk."""
    for at in range(0, len(data), 7):
        yield data[at : at + 7]


def as_json(value):
    return json.dumps(value).encode()


json_headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip, deflate", "User-Agent": "python-requests/2.32"}
crawl = {
    "urls": ["[The picnic](http://atlas.example/lighthouse-picnic.html)"],
    "task": "When was it founded?",
    "web_search_query": "Käse 😀",
    "think_content": "",
    "messages": [],
    "summary_type": "page",
    "summary_prompt_type": "webthinker_with_goal",
}
results = {
    "search": post(search_url, as_json({"q": "Lighthouse Picnic", "num": 3}), {"X-API-KEY": "", **json_headers}),
    "crawl": post(crawl_url, as_json(crawl), json_headers),
    "retrieve": post(
        retrieve_url,
        json.dumps({"queries": ["Lighthouse Picnic", "東京"], "topk": 2, "return_scores": True}, ensure_ascii=False).encode(),
        json_headers,
    ),
    "form": post(retrieve_url, as_json({"queries": ["Lighthouse"], "topk": 1}), {}),
    "chunked": post(search_url, chunks(as_json({"q": "Lighthouse Picnic", "num": 1})), json_headers),
    "bad": post(retrieve_url, b"queries=a", json_headers),
}
print(json.dumps(results))
