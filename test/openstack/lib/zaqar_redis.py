"""Zaqar's two Lua scripts for Redis, which Debian's package lacks, as Python.

Redis no longer runs them as one step: a lock stands in, because Zaqar is one process.
"""
import threading
import time

from zaqar.storage.redis import claims, messages

lock = threading.Lock()


def index_messages(self, msgset_key, counter_key, message_ids):
    """Give each message its rank in the queue."""
    with lock:
        last = self._client.incrby(counter_key, len(message_ids))
        first = last - len(message_ids) + 1
        self._client.zadd(msgset_key, {m: first + i for i, m in enumerate(message_ids)})


def claim_messages(self, msgset_key, now, limit, claim_id, claim_expires, msg_ttl, msg_expires):
    """Claim the oldest free messages. They live for as long as the claim at least."""
    claimed = []
    with lock:
        for m in self._client.zrange(msgset_key, 0, -1):
            owner, until, delayed, expires = self._client.hmget(m, 'c', 'c.e', 'd', 'e')
            if expires is None or (owner and int(until) > now) or int(delayed or 0) > now:
                continue
            self._client.hset(m, mapping={'c': claim_id, 'c.e': claim_expires})
            if int(expires) < msg_expires:
                self._client.hset(m, mapping={'t': msg_ttl, 'e': msg_expires})
                self._client.expire(m, msg_ttl)
            claimed.append(m)
            if len(claimed) == limit:
                break
    return claimed


def collect_garbage(driver):
    """Every 2 s, as zaqar-gc would: an expired message is an error in the statistics."""
    def loop():
        while True:
            time.sleep(2)
            try:
                driver.gc()
            except Exception as e:  # Redis may be gone for a while
                print('gc:', e, flush=True)
    threading.Thread(target=loop, daemon=True).start()


messages.MessageController._index_messages = index_messages
claims.ClaimController._claim_messages = claim_messages
