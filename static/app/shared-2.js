import {
  __export
} from "./shared.js";

// node_modules/preact/dist/preact.mjs
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = /* @__PURE__ */ Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n3) {
  n3 && n3.parentNode && n3.remove();
}
function k(n3, t5, r4) {
  var u4, i4, f5, o5 = {}, e4 = arguments.length;
  for (f5 in t5) "key" == f5 ? u4 = t5[f5] : "ref" == f5 && "function" != typeof n3 ? i4 = t5[f5] : o5[f5] = t5[f5];
  return e4 > 2 && (o5.children = e4 > 3 ? d.call(arguments, 2) : r4), m(n3, o5, u4, i4, null);
}
function m(r4, u4, i4, f5, o5) {
  var e4 = { type: r4, props: u4, key: i4, ref: f5, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o5 || ++t, __i: -1, __u: 0 };
  return !o5 && n.vnode && n.vnode(e4), e4;
}
function $(n3) {
  return n3.children;
}
function x(n3, t5) {
  this.props = n3, this.context = t5, this.__g = 0;
}
function S(n3, t5) {
  if (null == t5) return n3.__ && S(n3.__, n3.__i + 1);
  for (var r4; t5 < n3.__k.length; t5++) if ((r4 = n3.__k[t5]) && r4.__e) return r4.__e;
  return "function" != typeof n3.type || n3.props.__P ? null : S(n3);
}
function C(t5) {
  var r4, u4 = t5.__v, i4 = u4.__e, f5 = [], o5 = [], e4 = t5.__P;
  e4 && ((r4 = _({ constructor: h }, u4)).__v = u4.__v + 1, n.vnode && n.vnode(r4), z(e4, r4, u4, t5.__n, e4.namespaceURI, 32 & u4.__u ? [i4] : null, f5, i4 || S(u4), 32 & u4.__u, o5), r4.__v = u4.__v, r4.__.__k[r4.__i] = r4, E(f5, r4, o5), u4.__ = u4.__e = null, r4.__e != i4 && j(r4));
}
function j(n3) {
  if ((n3 = n3.__) && n3.__c && !n3.props.__P) return n3.__e = null, n3.__k.some(function(t5) {
    return t5 && (n3.__e = t5.__e);
  }), j(n3);
}
function L(t5) {
  (8 & t5.__g || (t5.__g |= 8, u.push(t5), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n3, t5 = 1; u.length; ) u.length > t5 && u.sort(o), n3 = u.shift(), t5 = u.length, 8 & n3.__g && C(n3);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n3, t5, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, h5, v4, w6, d5, _4, g5 = u4.__k || y, k4 = t5.length;
  for (l4 = q(r4, t5, g5, l4, k4), s4 = 0; s4 < k4; s4++) null != (v4 = r4.__k[s4]) && (h5 = ~v4.__i && g5[v4.__i] || p, v4.__i = s4, _4 = z(n3, v4, h5, i4, f5, o5, e4, l4, c4, a5), w6 = v4.__e, (h5.ref != v4.ref || 8 & h5.__u) && (h5.ref && G(h5.ref, null, v4, h5), v4.ref && a5.push(v4.ref, v4.__c || w6, v4)), d5 = d5 || w6, 4 & v4.__u ? (l4 = A(v4, l4, n3, !h5.__v), h5.__e && (h5.__e = null)) : "function" == typeof v4.type && void 0 !== _4 ? l4 = _4 : w6 && (l4 = w6.nextSibling), v4.__u &= -21);
  return r4.__e = d5, l4;
}
function q(n3, t5, r4, u4, i4) {
  var f5, o5, e4, l4, c4, a5, s4, p5, y5, v4 = r4.length, d5 = v4, _4 = 0, g5 = 0, k4 = n3.__k = Array(i4);
  for (f5 = 0; f5 < i4; f5++) null != (o5 = t5[f5]) && "boolean" != typeof o5 && "function" != typeof o5 ? ("object" != typeof o5 || o5.constructor === String ? o5 = k4[f5] = m(null, o5) : w(o5) ? o5 = k4[f5] = m($, { children: o5 }) : o5.constructor === h && o5.__b ? o5 = k4[f5] = m(o5.type, o5.props, o5.key, o5.ref, o5.__v) : k4[f5] = o5, l4 = f5 + _4, o5.__ = n3, o5.__b = n3.__b + 1, e4 = null, ~(c4 = o5.__i = P(o5, r4, l4, d5)) && (d5--, (e4 = r4[c4]) && (e4.__u |= 2)), e4 && e4.__v ? (o5.__u |= 16, c4 == l4 - 1 ? _4-- : c4 == l4 + 1 ? _4++ : c4 != l4 && (c4 > l4 ? _4-- : _4++, g5 = 1)) : (~c4 || (i4 > v4 ? _4-- : i4 < v4 && _4++), "function" != typeof o5.type && (o5.__u |= 4))) : k4[f5] = null;
  if (g5) {
    for (a5 = [], s4 = [], f5 = 0; f5 < i4; f5++) if ((o5 = k4[f5]) && 16 & o5.__u) {
      for (_4 = 0, p5 = a5.length; _4 < p5; ) a5[y5 = _4 + p5 >> 1] < o5.__i ? _4 = y5 + 1 : p5 = y5;
      a5[_4] = o5.__i, s4[f5] = _4 + 1;
    }
    for (_4 = a5.length; f5--; ) s4[f5] && (s4[f5] == _4 ? _4-- : k4[f5].__u |= 4);
  }
  if (d5) for (f5 = 0; f5 < v4; f5++) !(e4 = r4[f5]) || 2 & e4.__u || (e4.__e == u4 && (u4 = S(e4)), J(e4, e4));
  return u4;
}
function A(n3, t5, r4, u4) {
  var i4, f5, o5, e4;
  if ("function" == typeof n3.type) {
    if (n3.props.__P) return t5;
    if (i4 = n3.__k) for (f5 = 0; f5 < i4.length; f5++) i4[f5] && (i4[f5].__ = n3, t5 = A(i4[f5], t5, r4, false));
    return t5;
  }
  for (t5 && !t5.parentNode && (t5 = S(n3)) && !t5.parentNode && (t5 = null), o5 = n3.__e, e4 = t5; e4 && 8 == e4.nodeType; ) e4 = e4.nextSibling;
  for (o5 != e4 && (!u4 && r4.moveBefore && o5.parentNode ? r4.moveBefore(o5, t5) : r4.insertBefore(o5, t5 || null)), t5 = o5; (t5 = t5 && t5.nextSibling) && 8 == t5.nodeType && !t5.data.startsWith("$s"); ) ;
  return t5;
}
function O(n3, t5) {
  return t5 = t5 || [], null != n3 && "boolean" != typeof n3 && (w(n3) ? n3.some(function(n4) {
    O(n4, t5);
  }) : t5.push(n3)), t5;
}
function P(n3, t5, r4, u4) {
  var i4, f5 = n3.key, o5 = n3.type, e4 = t5[r4], l4 = e4 && !(2 & e4.__u);
  if (null === e4 && null == f5 || l4 && f5 == e4.key && o5 == e4.type) return r4;
  if (u4 > (l4 ? 1 : 0)) {
    for (i4 = r4 - 1; i4 >= 0; i4--) if ((e4 = t5[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
    for (i4 = r4 + 1; i4 < t5.length; i4++) if ((e4 = t5[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
  }
  return -1;
}
function T(n3, t5, r4) {
  null == r4 && (r4 = ""), "-" == t5[0] ? n3.setProperty(t5, r4) : n3[t5] = r4;
}
function N(n3, t5, r4, u4, i4) {
  var f5, o5;
  if ("style" == t5) if ("string" == typeof r4) n3.style.cssText = r4;
  else {
    if ("string" == typeof u4 && (n3.style.cssText = u4 = ""), u4) for (t5 in u4) r4 && t5 in r4 || T(n3.style, t5);
    if (r4) for (t5 in r4) u4 && r4[t5] == u4[t5] || T(n3.style, t5, r4[t5]);
  }
  else if ("o" == t5[0] && "n" == t5[1]) "function" != typeof r4 && (r4 = null), "function" != typeof u4 && (u4 = null), (n3.__e || (n3.__e = {}))[t5] = r4, r4 && u4 || (o5 = a[t5] || (a[t5] = V(t5)), (n3.__a || (n3.__a = {}))[t5] = c, f5 = t5 != (t5 = t5.replace(l, "$1")), (t5 = t5.slice(2))[0] < "a" && (t5 = t5.toLowerCase()), r4 ? n3.addEventListener(t5, o5, f5) : n3.removeEventListener(t5, o5, f5));
  else {
    if ("http://www.w3.org/2000/svg" == i4) t5 = t5.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t5 && "height" != t5 && "href" != t5 && "list" != t5 && "form" != t5 && "tabIndex" != t5 && "download" != t5 && "rowSpan" != t5 && "colSpan" != t5 && "role" != t5 && "popover" != t5 && t5 in n3) try {
      return void (n3[t5] = null == r4 ? "" : r4);
    } catch (n4) {
    }
    if ("function" == typeof r4) return;
    null == r4 || false === r4 && "-" != t5[4] ? n3.removeAttribute(t5) : n3.setAttribute(t5, "popover" == t5 && 1 == r4 ? "" : r4);
  }
}
function V(t5) {
  return function(r4) {
    var u4 = this.__e;
    if (u4) {
      if (u4 = u4[t5], null == r4[e]) r4[e] = c++;
      else if (r4[e] < this.__a[t5]) return;
      return u4(n.event ? n.event(r4) : r4);
    }
  };
}
function z(t5, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, p5, v4, d5, k4, b5, m5, M3, C3, j4, L2, H3, q3, A5, O3, P5, T4, N2, V2 = r4.type;
  if (r4.constructor !== h) return null;
  128 & u4.__u && (c4 = 32 & u4.__u, s4 = u4.__c.__z) && (r4.__u |= c4, p5 = o5 = [], 8 == s4.nodeType ? l4 = B(s4, o5) : o5.push(s4), l4 = o5[0] || l4), (s4 = n.__b) && s4(r4);
  n: if ("function" == typeof V2) {
    v4 = e4.length;
    try {
      if (M3 = r4.props, C3 = (s4 = V2.prototype) && s4.render, j4 = (s4 = V2.contextType) && i4[s4.__c], L2 = s4 ? j4 ? j4.props.value : s4.__ : i4, (d5 = u4.__c) ? (r4.__c = d5, 2 & d5.__g && (d5.__g |= 1)) : (C3 ? r4.__c = d5 = new V2(M3, L2) : (r4.__c = d5 = new x(M3, L2), d5.constructor = V2, d5.render = K), j4 && j4.sub(d5), d5.state || (d5.state = {}), d5.__n = i4, d5.__g |= 8, d5.__h = [], d5.__k = []), C3 && (d5.__s || (d5.__s = d5.state), V2.getDerivedStateFromProps && (d5.__s == d5.state && (d5.__s = _({}, d5.__s)), _(d5.__s, V2.getDerivedStateFromProps(M3, d5.__s)))), k4 = d5.props, b5 = d5.state, d5.__v = r4, u4.__c) {
        if (M3 !== k4 && C3 && !V2.getDerivedStateFromProps && d5.componentWillReceiveProps && d5.componentWillReceiveProps(M3, L2), r4.__v == u4.__v && !(8 & d5.__g) || !(4 & d5.__g) && d5.shouldComponentUpdate && false === d5.shouldComponentUpdate(M3, d5.__s, L2)) {
          r4.__v != u4.__v && (d5.props = M3, d5.state = d5.__s, d5.__g &= -9), r4.__e = u4.__e, r4.__k = u4.__k, r4.__k.some(function(n3) {
            n3 && (n3.__ = r4);
          }), y.push.apply(d5.__h, d5.__k), d5.__k = [], d5.__h.length && e4.push(d5), l4 = S(u4);
          break n;
        }
        d5.componentWillUpdate && d5.componentWillUpdate(M3, d5.__s, L2), C3 && d5.componentDidUpdate && d5.__h.push(function() {
          d5.componentDidUpdate(k4, b5, m5);
        });
      } else C3 && !V2.getDerivedStateFromProps && d5.componentWillMount && d5.componentWillMount(), C3 && d5.componentDidMount && d5.__h.push(d5.componentDidMount);
      d5.context = L2, d5.props = M3, d5.__P = t5, d5.__g &= -5, H3 = n.__r, q3 = C3 ? 25 : 0;
      do {
        d5.__g &= -9, H3 && H3(r4), s4 = d5.render(d5.props, d5.state = d5.__s, d5.context);
      } while (8 & d5.__g && ++q3 < 25);
      C3 && (y.push.apply(d5.__h, d5.__k), d5.__k = []), d5.state = d5.__s, d5.getChildContext && (i4 = _({}, i4, d5.getChildContext())), C3 && u4.__c && d5.getSnapshotBeforeUpdate && (m5 = d5.getSnapshotBeforeUpdate(k4, b5)), A5 = s4 && s4.type === $ && null == s4.key ? s4.props.children : s4, M3.__P && (s4 = l4, f5 = (t5 = M3.__P).namespaceURI, c4 = o5 = null, u4.props && u4.props.__P != t5 && (u4.__k.some(function(n3) {
        n3 && J(n3, n3);
      }), u4.__k = null), l4 = u4.__k ? S(u4, 0) : null), l4 = I(t5, w(A5) ? A5 : [A5], r4, u4, i4, f5, o5, e4, l4, c4, a5), M3.__P && (r4.__e = null, l4 = s4), r4.__u &= -161, p5 && p5.some(g), d5.__h.length && e4.push(d5), 1 & d5.__g && (d5.__g &= -4);
    } catch (t6) {
      if (e4.length = v4, r4.__v = null, c4 || o5) if (t6 && t6.then) {
        if (r4.__u |= 128 | c4, o5) {
          for (~(T4 = o5.indexOf(l4 || void 0)) || (T4 = o5.length); (N2 = o5[T4 - 1]) && 8 == N2.nodeType; ) T4--;
          for (; T4 < o5.length; T4++) if (N2 = o5[T4]) if (o5[T4] = null, O3) {
            if (N2 == P5) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P5 = B(O3 = N2));
          }
        }
        if (!O3) {
          for (; l4 && 8 == l4.nodeType && l4.nextSibling; ) l4 = l4.nextSibling;
          O3 = l4;
        }
        (s4 = B(O3 = r4.__c.__z || (r4.__c.__z = O3))) ? (r4.__e = O3, l4 = s4) : r4.__e = l4, l4 = l4 && l4.nextSibling;
      } else o5 && o5.some(g);
      else r4.__e = u4.__e;
      r4.__k || (r4.__k = u4.__k || []), t6 && t6.then || D(r4), n.__e(t6, r4, u4);
    }
  } else l4 = r4.__e = F(u4.__e, r4, u4, i4, f5, o5, e4, c4, a5, t5);
  return (s4 = n.diffed) && s4(r4), l4;
}
function B(n3, t5) {
  if (n3 && 8 == n3.nodeType && n3.data.startsWith("$s")) for (var r4 = 1; n3 = n3.nextSibling; ) {
    if (8 == n3.nodeType) {
      if (n3.data.startsWith("$s")) r4++;
      else if (n3.data.startsWith("/$s") && !--r4) return n3;
    }
    t5 && t5.push(n3);
  }
}
function D(n3) {
  n3 && (n3.__c && (n3.__c.__g |= 4), n3.__k && n3.__k.some(D));
}
function E(t5, r4, u4) {
  for (var i4 = 0; i4 < u4.length; ) G(u4[i4++], u4[i4++], u4[i4++]);
  n.__c && n.__c(r4, t5), t5.some(function(r5) {
    try {
      t5 = r5.__h, r5.__h = [], t5.some(function(n3) {
        n3.call(r5);
      });
    } catch (t6) {
      n.__e(t6, r5.__v);
    }
  });
}
function F(t5, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, h5, y5, _4, k4, b5, m5, M3, $3 = u4.props || p, x5 = r4.props, C3 = r4.type;
  if ("svg" == C3 ? f5 = "http://www.w3.org/2000/svg" : "math" == C3 ? f5 = "http://www.w3.org/1998/Math/MathML" : f5 || (f5 = "http://www.w3.org/1999/xhtml"), o5) {
    for (s4 = 0; s4 < o5.length; s4++) if ((k4 = o5[s4]) && (C3 ? k4.localName == C3 : 3 == k4.nodeType)) {
      t5 = k4, o5[s4] = null;
      break;
    }
  }
  if (!t5) {
    if (M3 = a5.ownerDocument || document, !C3) return M3.createTextNode(x5);
    t5 = M3.createElementNS(f5, C3, x5.is ? x5 : a5), l4 && (n.__m && n.__m(r4, o5), l4 = false), o5 = null;
  }
  if (C3) {
    if (a5 = "template" == C3 && t5.content || t5, o5 = "textarea" == C3 && null != x5.defaultValue ? null : o5 && d.call(a5.childNodes), !l4 && o5) for ($3 = {}, s4 = 0; s4 < t5.attributes.length; s4++) $3[(k4 = t5.attributes[s4]).name] = k4.value;
    for (s4 in $3) k4 = $3[s4], "dangerouslySetInnerHTML" == s4 ? y5 = k4 : "children" == s4 || s4 in x5 || "value" == s4 && "defaultValue" in x5 || "checked" == s4 && "defaultChecked" in x5 || N(t5, s4, null, k4, f5);
    for (s4 in x5) k4 = x5[s4], "children" == s4 ? _4 = k4 : "dangerouslySetInnerHTML" == s4 ? h5 = k4 : "value" == s4 ? b5 = k4 : "checked" == s4 ? m5 = k4 : l4 && "function" != typeof k4 || $3[s4] === k4 || N(t5, s4, k4, $3[s4], f5);
    h5 ? (l4 || y5 && (h5.__html == y5.__html || h5.__html == t5.innerHTML) || (t5.innerHTML = h5.__html), r4.__k = []) : (y5 && (t5.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f5 && v.test(C3)) && (f5 = "http://www.w3.org/1999/xhtml"), I(a5, w(_4) ? _4 : [_4], r4, u4, i4, f5, o5, e4, o5 ? o5[0] : u4.__k && S(u4, 0), l4, c4), o5 && o5.some(g)), l4 && "textarea" != C3 || (s4 = "value", "progress" == C3 && null == b5 ? t5.removeAttribute(s4) : null == b5 || b5 === t5[s4] && ("progress" != C3 || b5) || N(t5, s4, b5, $3[s4], f5), s4 = "checked", null != m5 && m5 != t5[s4] && N(t5, s4, m5, $3[s4], f5));
  } else $3 === x5 || l4 && t5.data == x5 || (t5.data = x5);
  return t5;
}
function G(t5, r4, u4, i4) {
  try {
    "function" == typeof t5 ? r4 ? r4.__x = t5(r4) || 1 : i4 && (i4 = i4.__c || i4.__e) && (r4 = i4.__x) && (i4.__x = null, "function" == typeof r4 ? r4() : t5(null)) : t5.current = r4;
  } catch (t6) {
    n.__e(t6, u4);
  }
}
function J(t5, r4, u4) {
  var i4, f5, o5, e4;
  if (n.unmount && n.unmount(t5), !(i4 = t5.ref) || i4.current && i4.current != t5.__e || G(i4, null, r4, t5), i4 = t5.__c) {
    if (i4.componentWillUnmount) try {
      i4.componentWillUnmount();
    } catch (t6) {
      n.__e(t6, r4);
    }
    i4.__P = i4.__n = null;
  }
  if (i4 = t5.__k) for (e4 = 0; e4 < i4.length; e4++) i4[e4] && J(i4[e4], r4, "function" != typeof t5.type || u4 && !t5.props.__P);
  !u4 && (i4 = t5.__c) && (i4 = i4.__z) && (f5 = B(i4, o5 = [])) && (i4 == t5.__e && o5.some(g), g(f5), g(i4)), u4 || g(t5.__e), t5.__e = t5.__c = t5.__ = null;
}
function K(n3, t5, r4) {
  return this.constructor(n3, r4);
}
function Q(t5, r4) {
  var u4, i4, f5, o5;
  n.__ && n.__(t5, r4), 9 == r4.nodeType && (r4 = r4.documentElement), i4 = (u4 = t5 && 32 & t5.__u) ? null : r4.__k, r4.__k = m($, { children: [t5] }), f5 = [], o5 = [], z(r4, r4.__k, i4 || p, p, r4.namespaceURI, i4 ? null : r4.firstChild ? d.call(r4.childNodes) : null, f5, i4 ? i4.__e : r4.firstChild, u4, o5), E(f5, r4.__k, o5), r4.__k.props.children = null;
}
n = { __e: function(n3, t5, r4, u4) {
  for (var i4, o5, e4; t5 = t5.__; ) if ((i4 = t5.__c) && !(1 & i4.__g)) {
    i4.__g |= 4;
    try {
      if ((e4 = (o5 = i4.constructor) && o5.getDerivedStateFromError) && i4.setState(o5.getDerivedStateFromError(n3)), i4.componentDidCatch && (i4.componentDidCatch(n3, u4 || {}), e4 = 1), e4 && 8 & i4.__g) return void (i4.__g |= 2);
    } catch (t6) {
      n3 = t6;
    }
  }
  throw f = 0, n3;
} }, t = 0, r = function(n3) {
  return null != n3 && n3.constructor === h;
}, x.prototype.setState = function(n3, t5) {
  var r4 = this.__s;
  r4 && r4 != this.state || (r4 = this.__s = _({}, this.state)), "function" == typeof n3 && (n3 = n3(_({}, r4), this.props)), n3 && (_(r4, n3), this.__v && (t5 && this.__k.push(t5), L(this)));
}, x.prototype.forceUpdate = function(n3) {
  this.__v && (this.__g |= 4, n3 && this.__h.push(n3), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n3, t5) {
  return n3.__v.__b - t5.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// app/i18n/en.ts
var plural = (n3, one, other) => `${n3} ${n3 === 1 ? one : other}`;
var times = "90 s, 10 min or 1 h 30 min";
var verbs = {
  read: ["Reading", "Read"],
  edit: ["Editing", "Edited"],
  look: ["Looking through", "Looked through"],
  grep: ["Searching files", "Searched files"],
  run: ["Running", "Ran"],
  search: ["Searching the web", "Searched"],
  open: ["Opening", "Opened"],
  delegate: ["Delegating", "Delegated"],
  schedule: ["Scheduling", "Scheduled"],
  send: ["Sending", "Sent"],
  recall: ["Recalling", "Recalled"],
  draw: ["Drawing", "Drew"],
  use: ["Using", "Used"]
};
var providerVerbs = {
  search: ["Searching the web", "Searched the web"],
  open: ["Opening", "Opened"],
  run: ["Running code", "Ran code"],
  draw: ["Drawing", "Drew"],
  grep: ["Searching files", "Searched files"],
  use: ["Using", "Used"]
};
var problems = {
  required: "Fill this in.",
  taken: "There is one of this name already.",
  long: "At most 64 characters.",
  whole: "A whole number of 1 or more.",
  zero_to_two: "A number from 0 to 2.",
  zero_or_more: "A number of 0 or more.",
  both_prices: "A price needs input and output.",
  url: "A complete address, such as https://example.com/v1.",
  header_name: "A header name has letters, digits and dashes.",
  pair_name: "Each entry needs a name.",
  twice: "A name stands here twice.",
  json: "This is not valid JSON.",
  json_object: "This has to be a JSON object: { … }.",
  json_null: "null cannot be stored; leave the key out."
};
var en = {
  locale: "en",
  app: "nanobot",
  agent: "Agent",
  you: "You",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  retry: "Retry",
  edit: "Edit",
  discard: "Discard",
  cancel: "Cancel",
  save: "Save",
  undo: "Undo",
  remove: "Remove",
  reload: "Reload",
  skipToThread: "Skip to conversation",
  skipToComposer: "Skip to message field",
  sidebar: {
    label: "Sessions",
    newSession: "New session",
    search: "Search",
    settings: "Settings",
    open: "Open sidebar",
    openWaiting: "Open sidebar: a session waits for you",
    hide: "Hide sidebar",
    empty: "No sessions yet. Your first message starts one.",
    failed: "Sessions could not be loaded.",
    more: "Show more",
    untitled: "New session",
    running: "running",
    waiting: "waiting for you",
    parked: "paused",
    menu: (title) => `Actions for ${title}`,
    rename: "Rename",
    pin: "Pin",
    unpin: "Unpin",
    delete: "Delete",
    deleted: (title) => `“${title}” deleted`,
    newTitle: "New title",
    group: { waiting: "Waiting for you", pinned: "Pinned", today: "Today", yesterday: "Yesterday", week: "This week" }
  },
  connection: {
    connecting: "connecting",
    ready: "connected",
    waiting: "reconnecting",
    signed_out: "signed out",
    outdated: "new version",
    lost: "Reconnecting… (turns go on at the server)",
    reconnect: "Reconnect",
    signIn: "Sign in",
    signedOut: "You are signed out. Messages stay here.",
    newVersion: "A new version is running.",
    keys: "Keyboard shortcuts"
  },
  thread: {
    label: "Conversation",
    loading: "Loading conversation",
    failed: "This session could not be loaded.",
    missing: "This session does not exist any more.",
    goHome: "Start a new session",
    older: "Loading older messages",
    down: (steps) => steps > 0 ? `↓ ${plural(steps, "new step", "new steps")}` : "↓ Newest",
    turnName: (steps, state) => `Agent, ${plural(steps, "step", "steps")}, ${state}`,
    states: { queued: "queued", running: "working", awaiting_approval: "waiting for you", parked: "paused", done: "done", failed: "failed", cancelled: "stopped", interrupted: "interrupted" },
    userName: (time) => `You, ${time}`,
    stepsLine: (steps, time, failed) => [plural(steps, "step", "steps"), time, failed ? `${failed} failed` : ""].filter(Boolean).join(" · "),
    more: "Show all",
    less: "Show less",
    steered: "added while working",
    empty: "Nothing here yet.",
    preparing: "Starting"
  },
  reasoning: {
    live: "Thinking",
    done: "Thought",
    forTime: (time) => `for ${time}`,
    empty: "The model kept its reasoning to itself.",
    body: "Reasoning"
  },
  tool: {
    verbs,
    providerVerbs,
    byProvider: "run by the provider",
    input: "Input",
    output: "Output",
    noOutput: "No output",
    exit: (code2) => `exit ${code2}`,
    showAll: (lines) => `Show all ${lines} lines`,
    denied: "denied",
    cancelled: "stopped",
    unknown: "outcome unknown",
    waiting: "waiting for you",
    error: "failed",
    diff: (path) => `Changes to ${path}`
  },
  approval: {
    waiting: "Waiting for your approval",
    several: (n3) => `${n3} approvals wait for you`,
    show: "Show",
    titles: {
      read: "Allow reading this?",
      edit: "Allow this change?",
      look: "Allow looking through this?",
      grep: "Allow searching these files?",
      run: "Allow this command?",
      search: "Allow this web search?",
      open: "Allow opening this address?",
      delegate: "Allow delegating this?",
      schedule: "Allow scheduling this?",
      send: "Allow sending this?",
      recall: "Allow looking this up?",
      draw: "Allow drawing this?",
      use: "Allow using this tool?"
    },
    command: "Command",
    allArguments: "All arguments",
    hidden: (code2) => `A character that would not be seen: ${code2}`,
    in: "In",
    at: "At",
    expiresIn: (time) => `No answer within ${time} counts as no.`,
    expiresAt: (when) => `No answer until ${when} counts as no.`,
    once: "Allow once",
    onceChanged: "Allow once as changed",
    deny: "Deny",
    denyWithNote: "Deny with this note",
    session: "Allow for this session",
    always: "Always allow",
    scope: "Do not ask again for:",
    everyCall: ["every ", " call"],
    exactly: "exactly",
    like: "everything like",
    addNote: "Add a note…",
    note: "Note for the agent",
    noteHint: "Why not, or what to do instead",
    changeArguments: "Change arguments…",
    changedArguments: "Changed arguments (JSON)",
    changedNote: "The call runs once, with these arguments.",
    keepArguments: "Keep the arguments as they were",
    sending: "Sending your answer…",
    offline: "no connection to the server",
    late: (detail) => `Your answer did not count: ${detail}`,
    decided: { allow_once: "Allowed once", allow_session: "Allowed for this session", allow_always: "Always allowed from now on", deny: "Denied", expired: "Not answered in time", cancelled: "Withdrawn before it was answered" },
    decidedLine: (what, who) => who ? `${what} by ${who}` : what,
    you: "you",
    actors: { loopback: "somebody on this machine", config: "the static token", terminal: "the command line", system: "nanobot" }
  },
  budget: {
    label: "Budget used",
    title: "A budget is used up",
    titles: {
      turn_usd: "This turn has used its budget",
      session_usd: "This session has used its budget",
      day_usd: "The budget of the day is used up",
      turn_tokens: "This turn has used its tokens",
      session_tokens: "This session has used its tokens",
      day_tokens: "The tokens of the day are used up",
      turn_seconds: "This turn has used its time",
      session_seconds: "This session has used its time",
      day_seconds: "The time of the day is used up"
    },
    used: (used, limit) => `${used} of ${limit} used`,
    tokens: (n3) => `${n3} tokens`,
    units: { usd: "US dollars", tokens: "tokens", seconds: "time at work" },
    more: "Allow more",
    allow: (amount2) => `Allow ${amount2} more`,
    stop: "Stop here",
    problems: { usd: "An amount above 0.", tokens: "A whole number above 0.", seconds: `A time of 1 s or more, such as ${times}.` },
    decided: { allow_once: "Budget raised", allow_session: "Budget raised", allow_always: "Budget raised", deny: "Stopped here", expired: "Not answered in time", cancelled: "Withdrawn before it was answered" }
  },
  notice: {
    other: (kind) => `Step of a kind this page does not know: ${kind}`,
    attempt: (n3, max) => max === null ? `attempt ${n3}` : `attempt ${n3} of ${max}`,
    askingAgain: (seconds, attempt) => `Asking again in ${seconds} (${attempt})`,
    askedAgain: (attempt) => `Asked again (${attempt})`,
    notAsked: (attempt) => `Ended before asking again (${attempt})`,
    switched: (from, to, why) => `Going on with ${to} because ${from} failed: ${why}`,
    governed: (before, after) => `The request was shortened: ${before} → ${after} tokens`,
    governedPlain: "The request was shortened to fit the model",
    shortened: (times2, before, after) => `The request was shortened ${times2} times, last: ${before} → ${after} tokens`,
    shortenedPlain: (times2) => `The request was shortened ${times2} times`
  },
  actions: {
    label: "Message actions",
    retry: "Retry",
    fork: "Fork",
    inspect: "Inspect",
    edit: "Edit",
    copy: "Copy",
    previous: "Previous version",
    next: "Next version",
    branch: (index, count3) => `${index}/${count3}`,
    branchLabel: (index, count3) => `Version ${index} of ${count3}`
  },
  composer: {
    label: "Message",
    placeholder: "Message",
    send: "Send",
    stop: "Stop",
    model: "Model",
    noModel: "No model",
    demo: "demo",
    editing: "Editing an earlier message. Sending makes a new version.",
    leaveEdit: "Leave editing",
    queue: "Queue",
    steer: "Send now",
    hint: "Enter queues, Ctrl Enter sends into the running turn",
    tooLong: (over) => `The message is ${over} characters too long.`,
    queued: (n3) => `Queued ${n3}`,
    modelGone: (name, instead) => `“${name}” is not set up any more. This session goes on with ${instead}.`,
    modelGoneNone: (name) => `“${name}” is not set up any more. Choose another model.`
  },
  access: {
    label: "Access",
    modes: { ask: "Ask before acting", workspace: "Workspace only", full: "Full access" },
    configured: (mode) => mode ? `As configured (${mode})` : "As configured",
    notes: {
      ask: "Whatever writes, runs or leaves this machine asks first.",
      workspace: "Files in the workspace and sandboxed commands without network run by themselves; the rest asks.",
      full: "Nothing asks, except where a rule says so. Rules that deny still hold."
    },
    chosen: (mode) => `Access is now: ${mode}. What had been allowed for this session is taken back.`,
    confirm: "Give full access to this session?",
    fullMeans: "The agent then acts without asking you.",
    fullPoints: ["It changes and deletes files and runs commands as it sees fit, also with what web pages or documents tell it.", "Rules that ask or deny (Settings, Tools & access) and the sandbox of commands still hold.", "It is for this session alone. You can take it back here at any time."],
    give: "Give full access"
  },
  slash: {
    label: "Commands",
    commands: { model: "Choose the model of this session" },
    unknownModel: (name, known) => `There is no model “${name}”. Set up: ${known.join(", ") || "none"}.`,
    chosen: (model, provider) => `This session now uses ${model} · ${provider}.`
  },
  picker: { title: "Choose a model", manage: "Manage models" },
  outbox: {
    sending: "Sending…",
    waiting: "Waiting for connection",
    accepted: "Sent",
    failed: (why) => `Not sent: ${why}`,
    noAnswer: "No answer yet"
  },
  home: {
    question: "What should be done?",
    recent: "Recent",
    example: "Look through my workspace and tell me what is in it."
  },
  setup: {
    title: "Choose a model",
    intro: "nanobot needs a language model. Use one that was found on this machine, or enter a provider. You can write your first message right away; it is kept.",
    found: "Found on this machine",
    nothingFound: "No model server and no key was found on this machine.",
    server: "local server",
    key: (env) => `key in ${env}`,
    model: "Model",
    modelHint: "The name the provider gives the model",
    other: "Another provider",
    provider: "Provider",
    custom: "Custom",
    kind: "Protocol",
    baseUrl: "Base URL",
    apiKey: "API key",
    keyHint: "Stored on the server, never shown again",
    keyFrom: (env) => `From ${env}`,
    test: "Test",
    testing: "Testing…",
    ok: (ms) => `Works, answered in ${ms}`,
    failed: (why) => `Failed: ${why}`,
    save: "Save and start",
    saving: "Saving…",
    demo: "Try the demo model",
    demoNote: "Scripted and offline: it shows how work looks here, but does not think.",
    name: "Preset name",
    makeDefault: "Use for new sessions",
    done: "A model is set up.",
    kinds: { openai: "Chat Completions", "openai-responses": "OpenAI Responses", anthropic: "Anthropic Messages", demo: "Demo" },
    needModel: "Enter the name of a model."
  },
  failure: {
    no_model: "No model is set up yet. Your message is kept.",
    no_model_because: (why) => `The model cannot be used: ${why}`,
    provider_auth: (who) => `${who} refused the key.`,
    provider_rate_limit: (who) => `${who} asks to wait.`,
    provider_quota: (who) => `${who} says the quota is used up.`,
    provider_unavailable: (who) => `${who} did not respond.`,
    provider_timeout: (who) => `${who} took too long to answer.`,
    provider_bad_response: (who) => `${who} sent an answer that could not be read.`,
    provider_refused_request: (who) => `${who} refused the request.`,
    provider_not_found: (who) => `${who} does not know this model or address.`,
    provider_paused: (who) => `${who} failed so often that it is left alone for a while.`,
    model_refused: "The model refused to answer. Put the request in other words, or choose another model.",
    context_length: "This session no longer fits the model.",
    context_length_of: (used, max) => `This session no longer fits the model (${used} of ${max}).`,
    stream_truncated: "The answer stopped here. The text so far is kept.",
    storage: "The server could not store its work.",
    internal: "Something went wrong in the server.",
    stopped: "Stopped",
    interrupted: "The server restarted. Work up to here is kept.",
    loop: "Stopped: the agent was repeating itself.",
    max_iterations: "Stopped after the largest number of steps for one turn.",
    budget: "Stopped: the budget is used up.",
    empty_final_response: "The model ended without an answer.",
    other: "The turn ended early.",
    provider: "The provider",
    details: "Details",
    setUp: "Set up a model",
    openProvider: "Open provider settings",
    fork: "Fork",
    retry: "Retry",
    otherModel: "Other model",
    rephrase: "Rephrase"
  },
  meter: {
    label: "Context used",
    tokens: (n3) => `${n3} tokens`,
    title: "Tokens by turn",
    turn: "Turn",
    input: "Input",
    cached: "Cached",
    output: "Output",
    cost: "Cost (estimate)",
    context: "Context",
    none: "No request yet.",
    cachedShare: (share) => `${share} of the input came from the provider’s cache`,
    costSum: (cost) => `${cost} in all (estimate)`
  },
  code: { copy: "Copy", wrap: "Wrap", plain: "text", table: "Table", label: (lang) => lang ? `Code, ${lang}` : "Code" },
  search: {
    title: "Search",
    placeholder: "Search sessions and messages",
    sessions: "Sessions",
    messages: "Messages",
    recent: "Recent sessions",
    none: (q3) => `Nothing found for “${q3}”.`,
    startWith: "Start a session with this text",
    failed: "Search failed.",
    results: (n3) => plural(n3, "result", "results")
  },
  settings: {
    title: "Settings",
    sections: { general: "General", models: "Models", tools: "Tools & access", usage: "Usage", about: "About" },
    theme: "Theme",
    themeNote: "Light, dark, or what the system says.",
    themes: { system: "System", light: "Light", dark: "Dark" },
    language: "Language",
    languageNote: "The language of this page.",
    reasoning: "Reasoning",
    reasoningNote: "How the thoughts of the model are shown. A block that you opened or closed by hand stays as it is.",
    reasonings: { live: "Open while live", folded: "Always folded", open: "Always open" },
    sendKey: "Send with",
    sendKeyNote: "The other one breaks the line.",
    sendKeys: { enter: "Enter", ctrl_enter: "Ctrl Enter" },
    saved: "Saved",
    failed: "The settings could not be loaded.",
    presets: "Models",
    presetsNote: "A preset is a provider with one of its models.",
    providers: "Providers",
    noPresets: "No model yet.",
    noProviders: "No provider yet.",
    default: "default",
    makeDefault: "Make default",
    addModel: "Add a model",
    keySet: "key is set",
    keyFrom: (env) => `key from ${env}`,
    noKey: "no key",
    window: (n3, assumed) => `${n3} tokens${assumed ? ", assumed" : ""}`,
    warnings: "The configuration file has problems",
    version: "Version",
    boot: "Server run",
    mismatches: "Texts that had to be read again",
    licences: "Licences of bundled libraries",
    removeProvider: (name) => `Remove provider ${name}`,
    removePreset: (name) => `Remove model ${name}`,
    providerUsed: (models) => `It is used by ${models.join(", ")}; remove those models first.`,
    removeDefault: "Remove the default model?",
    removeDefaultNote: (name) => `Sessions that use “${name}” have no model until you make another one the default.`
  },
  models: {
    intro: "A provider has an address and a key. A model is one of a provider’s models with its settings; sessions choose among them.",
    kinds: { openai: "Chat Completions — nearly all servers", "openai-responses": "OpenAI Responses", anthropic: "Anthropic Messages" },
    addModel: "New model",
    addModelOf: (provider) => `New model of ${provider}`,
    testOf: (name) => `Test ${name}`,
    testModel: "Test this model",
    editProvider: (name) => `Edit provider ${name}`,
    viaProxy: (proxy) => `via ${proxy}`,
    removeWithKey: "Its stored key is removed too and cannot be brought back.",
    list: "List models",
    listing: "Asking the provider…",
    listed: (n3) => n3 === 0 ? "The provider lists no models; type the name." : `${plural(n3, "model", "models")} to choose from`,
    listFailed: (why) => `The names could not be listed: ${why}`,
    proxy: "Proxy",
    proxyNone: "none",
    keyPlaceholder: "A key, or ${NAME} of an environment variable",
    keyNote: "Stored on the server, never shown again.",
    keepKey: "Keep the old key",
    keyRemoved: "removed when you save",
    replace: "Replace",
    replaceKey: "Replace the key",
    removeKey: "Remove the key",
    keyDropped: "The stored key and header values belong to the old address and are dropped when you save. Enter them again for the new one.",
    advanced: "Advanced: headers, query, body",
    headers: "Extra headers",
    headersNote: "Sent with each request. Values are stored and never shown again.",
    addHeader: "Add a header",
    query: "Extra query parameters",
    queryNote: "Added to the address of each request.",
    addQuery: "Add a parameter",
    body: "Extra body",
    bodyNote: "A JSON object that is merged into each request.",
    pairName: "Name",
    pairValue: "Value",
    valueSet: "value is set",
    replaceOf: (name) => `Replace the value of ${name}`,
    removePair: (name) => `Remove ${name || "this entry"}`,
    makeDefaultOf: (name) => `Make default: ${name}`,
    editPreset: (name) => `Edit ${name}`,
    newPreset: "New model",
    duplicate: "Duplicate",
    duplicateOf: (name) => `Duplicate ${name}`,
    name: "Name",
    renameNote: (old) => `Sessions that use “${old}” go on with the default model. The default and fallbacks follow the new name.`,
    window: "Context window (tokens)",
    windowAssumed: "128000 is assumed",
    maxTokens: "Longest answer (tokens)",
    maxTokensDefault: "8192",
    temperature: "Temperature",
    effort: "Reasoning effort",
    providerDefault: "as the provider does it",
    price: "Price in dollars per million tokens",
    priceInput: "Input",
    priceCached: "Cached input",
    priceCachedDefault: "as input",
    priceOutput: "Output",
    fallbacks: "If this model fails",
    fallbacksNote: "When a request still fails after its attempts, these models are asked in order and the first that answers goes on with the turn. The conversation says so; the next message begins with this model again.",
    fallbackGone: "not set up any more",
    fallbackMoved: (name, place, of) => `${name} is now number ${place} of ${of}`,
    fallbackRemoved: (name) => `${name} removed from the order`,
    moveUp: (name) => `Move ${name} up`,
    moveDown: (name) => `Move ${name} down`,
    removeFallback: (name) => `Remove ${name} from the order`,
    addFallback: "Model to ask next",
    add: "Add",
    noFallbacks: "There is no other model yet.",
    thenFallbacks: (names) => `if it fails: ${names.join(" → ")}`,
    retrying: "When a request fails",
    retryModes: {
      standard: ["Standard", "Up to 4 attempts, with longer and longer waits in between."],
      persistent: ["Persistent", "Keeps trying until it works or you press Stop."]
    },
    problems
  },
  toolSettings: {
    access: "Default access",
    accessNote: "How far the agent may go without asking, where no rule fits. A session can have a mode of its own: it is chosen below its message field.",
    confirmFull: "Full access everywhere?",
    fullMeans: "Every session without a mode of its own then acts without asking you.",
    makeFull: "Make full access the default",
    rules: "Rules",
    rulesNote: "For each call of a tool, the first rule that fits decides; where none fits, the access mode does. In a chain of commands each part is judged. “Always allow” in a conversation adds a rule here.",
    noRules: "No rules yet: the access mode decides everything.",
    addRule: "Add a rule",
    editRule: (n3) => `Edit rule ${n3}`,
    removeRule: (n3) => `Remove rule ${n3}`,
    moveUp: (n3) => `Move rule ${n3} up`,
    moveDown: (n3) => `Move rule ${n3} down`,
    ruleMoved: (n3, of) => `Now rule ${n3} of ${of}`,
    ruleRemoved: "Rule removed",
    shadowed: (n3) => `Never reached: rule ${n3} fits first.`,
    anything: "anything",
    tool: "Tool",
    toolNote: "A name such as exec, or a pattern such as mcp_*",
    match: "What it is called with",
    matchNote: "The command, path or address; * is any text",
    decision: "Decision",
    verdicts: { allow: "Allow", ask: "Ask", deny: "Deny" },
    budgets: "Budgets",
    budgetsNote: `What turns may use at most. When a limit is reached, the turn stops and asks you for more. Empty: no limit. Models without a price count in tokens and time alone. Time counts what models and tools take, not waiting for you; type it as ${times}.`,
    noLimit: "no limit",
    limits: {
      turn_usd: "One turn, US dollars",
      session_usd: "One session, US dollars",
      day_usd: "One day, US dollars",
      turn_tokens: "One turn, tokens",
      session_tokens: "One session, tokens",
      day_tokens: "One day, tokens",
      turn_seconds: "One turn, time at work",
      session_seconds: "One session, time at work",
      day_seconds: "One day, time at work"
    },
    hooks: "Hooks",
    hooksNote: ["Programs that take part in turns. They are set up in ", " in the home folder of the server, never in the browser."],
    noHooks: "No hooks are set up.",
    timeout: (ms) => `at most ${ms / 1e3} s`,
    reraise: "a failure ends the turn"
  },
  usage: {
    period: "Period",
    periods: { "7": "7 days", "30": "30 days", "90": "90 days", month: "This month" },
    by: "Group by",
    bys: { day: "Day", session: "Session", preset: "Model" },
    range: (since, until, timezone) => `${since} – ${until} (${timezone})`,
    loading: "Loading usage",
    failed: "The usage could not be loaded.",
    empty: "No model was asked in this period.",
    requests: "Requests",
    failedRequests: (n3) => `${n3} failed`,
    failedColumn: "Failed",
    shareColumn: "Cached share",
    input: "Input",
    cached: "Cached input",
    fresh: "Fresh input",
    output: "Output",
    cost: "Cost (estimate)",
    total: "Total",
    cachedShare: (share) => `${share} cached`,
    estimated: (n3) => `${plural(n3, "request", "requests")} with estimated tokens`,
    unpriced: (n3) => `${plural(n3, "request", "requests")} without a price`,
    noPrice: "no price",
    perDay: "Tokens per day",
    bar: (day, fresh, cached, output) => `${day}: ${fresh} fresh, ${cached} cached, ${output} out`,
    chartLabel: (days, most, tokens) => `Tokens per day over ${plural(days, "day", "days")}; most on ${most} with ${tokens}. The table has all numbers.`,
    csv: "Download CSV",
    deleted: "Deleted session"
  },
  inspect: {
    title: "Turn inspector",
    loading: "Loading the turn",
    failed: "The turn could not be loaded.",
    missing: "This turn does not exist any more.",
    refresh: "Refresh",
    export: "Export",
    exportNote: "Everything shown here as one JSON file; secrets are struck out.",
    requests: "Requests",
    noRequests: "No request was made.",
    calls: "Tool calls",
    notOk: (n3) => n3 > 0 ? `${n3} without success` : "",
    time: "Time",
    noTime: "Nothing ran.",
    split: (model, tools) => `model ${model}, tools ${tools}`,
    number: "Request",
    numberOf: (iteration, attempt) => attempt > 1 ? `${iteration} · attempt ${attempt}` : String(iteration),
    requestName: (iteration, attempt) => `Request ${iteration}, attempt ${attempt}`,
    model: "Model",
    outcome: "Outcome",
    cost: "Cost",
    first: "First output",
    duration: "Duration",
    estimated: "estimated",
    outcomes: { complete: "complete", length: "cut at the limit", empty: "empty", paused: "paused", truncated: "broke off", cancelled: "stopped" },
    governance: "Made to fit",
    budget: (estimated, budget, window2, messages) => `${messages} messages, about ${estimated} tokens of a budget of ${budget}, in a window of ${window2}`,
    hash: "hash",
    nothingCut: "Nothing had to be cut.",
    less: (n3) => `−${n3}`,
    more: (n3) => `+${n3}`,
    inexact: "This request could not be rebuilt byte for byte.",
    sent: "What was sent",
    system: "System prompt",
    tools: "Tools",
    messages: "Messages",
    earlier: (n3) => `Show ${plural(n3, "earlier message", "earlier messages")}`,
    chars: (n3) => `${n3} characters`,
    parameters: (tool) => `Arguments of ${tool}`,
    empty: "Empty",
    showAll: (n3) => `Show all ${n3} characters`,
    roles: { system: "System", user: "User", assistant: "Assistant", tool: "Tool" },
    blocks: { text: "Text", thinking: "Reasoning", call: "Call", result: "Result", image: "Image", document: "Document", provider_item: "Item of the provider", pause: "Pause" },
    difference: "Compared with the request before",
    firstRequest: "There is no request before it.",
    added: "added",
    removed: "removed",
    systemChanged: "the system prompt changed",
    toolsChanged: "the tools changed",
    messagesRemoved: (n3) => `${plural(n3, "message", "messages")} removed`,
    startSame: (n3) => `The start stayed the same: system prompt, tools and ${plural(n3, "message", "messages")}. A provider can take it from its cache.`,
    startChanged: (n3, what) => `The start is another one: ${what.join(", ")}. ${n3 === 1 ? "1 message is" : `${n3} messages are`} the same at the beginning.`,
    byModel: "Model",
    byTools: "Tools",
    ok: "ok",
    round: (n3) => `request ${n3}`,
    outputChars: (n3) => `${n3} characters of output`,
    hooks: "Hooks that failed",
    hookError: (hook) => `Error of ${hook}`
  },
  keys: {
    title: "Keyboard shortcuts",
    list: [
      ["Ctrl K", "Search"],
      ["Alt N", "New session"],
      ["Ctrl B", "Show or hide the sidebar"],
      ["Ctrl .", "Stop the turn"],
      ["Esc Esc", "Stop the turn"],
      ["Enter", "Send; while a turn runs, queue"],
      ["Shift Enter", "New line"],
      ["Ctrl Enter", "Send into the running turn"],
      ["↑", "In an empty field: edit the last message"],
      ["Alt ↑ / Alt ↓", "Previous or next message of yours"],
      ["Alt Enter", "Allow once what is asked on the screen"],
      ["Alt Backspace", "Deny it"],
      ["End", "To the newest step"],
      ["F6", "Next region of the page"],
      ["/", "At the start of a message: commands"],
      ["?", "This list"]
    ]
  },
  live: { thinking: "Thinking", tool: (verb) => verb, ready: (words) => `Answer ready, ${plural(words, "word", "words")}`, stopped: "Stopped", failed: (what) => `Failed: ${what}`, approval: (title, what) => `Waiting for your approval. ${title} ${what}`, elsewhere: (title) => `“${title}” waits for your approval` },
  boundary: "This part could not be shown.",
  notFound: "There is no page at this address."
};

// app/i18n/index.ts
var t2 = en;
var LANGUAGES = [["en", "English"], ["zh-CN", "简体中文"]];
async function chooseLanguage(lang) {
  if (/^zh/i.test(lang)) t2 = (await import("./zh-CN.js")).zhCN;
}
var formats = /* @__PURE__ */ new Map();
function number(options) {
  const key2 = `n${t2.locale}${JSON.stringify(options)}`;
  const have = formats.get(key2) ?? new Intl.NumberFormat(t2.locale, options);
  formats.set(key2, have);
  return have;
}
function date(options) {
  const key2 = `d${t2.locale}${JSON.stringify(options)}`;
  const have = formats.get(key2) ?? new Intl.DateTimeFormat(t2.locale, options);
  formats.set(key2, have);
  return have;
}
var count = (n3) => number({}).format(n3);
var money = (usd) => number({ style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(usd);
var fineMoney = (usd) => number({ style: "currency", currency: "USD", minimumFractionDigits: 4, maximumFractionDigits: 4 }).format(usd);
var shortDay = (day) => date({ day: "numeric", month: "short", timeZone: "UTC" }).format(/* @__PURE__ */ new Date(`${day}T00:00:00Z`));
var longDay = (day) => date({ weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(/* @__PURE__ */ new Date(`${day}T00:00:00Z`));
var percent = (part) => number({ style: "percent", maximumFractionDigits: 0 }).format(part);
function short(n3) {
  if (n3 < 1e3) return String(n3);
  if (n3 < 999500) return `${n3 < 9950 ? (n3 / 1e3).toFixed(1).replace(/\.0$/, "") : Math.round(n3 / 1e3)}k`;
  return `${(n3 / 1e6).toFixed(1).replace(/\.0$/, "")}M`;
}
function duration(ms) {
  const seconds = ms / 1e3;
  if (seconds < 0.05) return "< 0.1 s";
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
var clock = (at2) => date({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at2);
var fullTime = (at2) => date({ dateStyle: "full", timeStyle: "medium" }).format(at2);
var month = (year, index) => date({ month: "long", year: "numeric" }).format(new Date(year, index, 1));
function whenWords(at2, now) {
  if (new Date(at2).toDateString() === new Date(now).toDateString()) return clock(at2);
  return date({ weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at2);
}

// app/state/boot.ts
var DEFAULTS = { version: "", boot_id: "", theme: "system", lang: "en", limits: { max_frame_bytes: 1048576, max_message_chars: 2e5 }, needs_login: false };
function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(document.getElementById("boot")?.textContent ?? "{}") };
  } catch {
    return DEFAULTS;
  }
}
var boot = read();

// node_modules/preact/hooks/dist/hooks.mjs
var t3;
var r2;
var u2;
var i2;
var o2 = Object.is;
var f2 = 0;
var c2 = [];
var e2 = [];
var a2 = n;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function y2(n3, t5) {
  a2.__h && a2.__h(r2, n3, f2 || t5), f2 = 0;
  var u4 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n3 >= u4.__.length && u4.__.push({}), u4.__[n3];
}
function d2(n3) {
  return f2 = 1, _2(G2, n3);
}
function _2(n3, u4, i4) {
  var f5 = y2(t3++, 2);
  if (f5.t = n3, !f5.__c && (f5.__ = [i4 ? i4(u4) : G2(void 0, u4), function(n4) {
    var t5 = (f5.__N || f5.__)[0], r4 = f5.t(t5, n4);
    o2(t5, r4) || (f5.__N = [r4, f5.__[1]], f5.__c.setState({}));
  }], f5.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c4 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n4, t5, r4) {
      var u5 = this.__H;
      if (!u5) return true;
      var i5 = false, f6 = this.props != n4;
      if (u5.__.some(function(n5) {
        n5.__N && (i5 = true, o2(n5.__[0], n5.__N[0]) || (f6 = true));
      }), c4) {
        var e4 = c4.call(this, n4, t5, r4);
        return i5 ? e4 || f6 : e4;
      }
      return !i5 || f6;
    };
  }
  return f5.__;
}
function A2(n3, u4) {
  var i4 = y2(t3++, 3);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = true, i4.__ = n3, i4.u = u4, r2.__H.__h.push(i4));
}
function F2(n3, u4) {
  var i4 = y2(t3++, 4);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = false, i4.__ = n3, i4.u = u4, r2.__h.push(i4));
}
function T2(n3) {
  return f2 = 5, w2(function() {
    return { current: n3 };
  }, []);
}
function w2(n3, r4) {
  var u4 = y2(t3++, 7);
  return E2(u4.__H, r4) && (u4.__ = n3(), u4.__H = r4), u4.__;
}
function b(n3, t5) {
  return f2 = 8, w2(function() {
    return n3;
  }, t5);
}
function P2() {
  var n3 = y2(t3++, 11);
  if (!n3.__) {
    for (var u4 = r2.__v; !u4.__m && u4.__; ) u4 = u4.__;
    var i4 = u4.__m || (u4.__m = [0, 0]);
    n3.__ = "P" + i4[0] + "-" + i4[1]++;
  }
  return n3.__;
}
function g2() {
  var n3;
  do {
    for (; n3 = e2.shift(); ) try {
      C2(n3);
    } catch (t6) {
      a2.__e(t6, { __: (n3 = n3.__P) && n3.__v });
    }
    for (; n3 = c2.shift(); ) {
      var t5 = n3.__H;
      if (n3.__P && t5) try {
        t5.__h.some(C2), t5.__h.some(D2), t5.__h = [];
      } catch (r4) {
        t5.__h = [], a2.__e(r4, n3.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n3) {
  r2 = null, v2 && v2(n3);
}, a2.__ = function(n3, t5) {
  n3 && t5.__k && t5.__k.__m && (n3.__m = t5.__k.__m), p2 && p2(n3, t5);
}, a2.__r = function(n3) {
  l2 && l2(n3), t3 = 0;
  var i4 = (r2 = n3.__c).__H;
  i4 && (u2 == r2 ? r2.__h = [] : (i4.__h.some(C2), i4.__h.some(D2), t3 = 0), i4.__h = [], i4.__.some(function(n4) {
    n4.__N && (n4.__ = n4.__N), n4.u = n4.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n3) {
  m2 && m2(n3);
  var t5 = n3.__c;
  t5 && t5.__H && (t5.__H.__h.length && B2(c2.push(t5)), t5.__H.__.some(function(n4) {
    n4.u && (n4.__H = n4.u);
  })), u2 = r2 = null;
}, a2.__c = function(n3, t5) {
  t5.some(function(n4) {
    try {
      n4.__h.some(C2), n4.__h = n4.__h.filter(function(n5) {
        return !n5.__ || D2(n5);
      });
    } catch (t6) {
      n4.__h = [function() {
        throw t6;
      }];
    }
  }), h2 && h2(n3, t5);
}, a2.unmount = function(n3) {
  s2 && s2(n3);
  var t5, r4, u4 = n3.__c;
  u4 && u4.__H && (u4.__H.__.some(function(u5) {
    try {
      if (u5.__P && u5.__c) {
        if (void 0 === r4) {
          for (r4 = n3.__; r4 && (!r4.__c || !r4.__c.__P); ) r4 = r4.__;
          r4 = r4 && r4.__c;
        }
        u5.__P = r4, B2(e2.push(u5));
      } else C2(u5);
    } catch (n4) {
      t5 = n4;
    }
  }), u4.__H = void 0, t5 && a2.__e(t5, u4.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z2(n3) {
  var t5, r4 = function() {
    clearTimeout(u4), k2 && cancelAnimationFrame(t5), setTimeout(n3);
  }, u4 = setTimeout(r4, 35);
  k2 && (t5 = requestAnimationFrame(r4));
}
function B2(n3) {
  1 != n3 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n3) {
  var t5 = r2, u4 = n3.__c;
  "function" == typeof u4 && (n3.__c = void 0, u4()), r2 = t5;
}
function D2(n3) {
  var t5 = r2;
  n3.__c = n3.__(), r2 = t5;
}
function E2(n3, t5) {
  return !n3 || n3.length != t5.length || t5.some(function(t6, r4) {
    return !o2(t6, n3[r4]);
  });
}
function G2(n3, t5) {
  return "function" == typeof t5 ? t5(n3) : t5;
}

// node_modules/@preact/signals-core/dist/signals-core.module.js
var i3 = /* @__PURE__ */ Symbol.for("preact-signals");
function t4() {
  if (!(v3 > 1)) {
    var i4, t5 = false;
    !(function() {
      var i5 = c3;
      c3 = void 0;
      while (void 0 !== i5) {
        var t6 = i5.S;
        if (t6.v === i5.v) {
          for (var r5 = t6.t; void 0 !== r5; r5 = r5.x) if (r5.i === i5.i) r5.i = t6.i;
        }
        i5 = i5.o;
      }
    })();
    while (void 0 !== h3) {
      var r4 = h3;
      h3 = void 0;
      s3++;
      while (void 0 !== r4) {
        var n3 = r4.u;
        r4.u = void 0;
        r4.f &= -3;
        if (!(8 & r4.f) && w3(r4)) try {
          r4.c();
        } catch (r5) {
          if (!t5) {
            i4 = r5;
            t5 = true;
          }
        }
        r4 = n3;
      }
    }
    s3 = 0;
    v3--;
    if (t5) throw i4;
  } else v3--;
}
function r3(i4) {
  if (v3 > 0) return i4();
  u3 = ++e3;
  v3++;
  try {
    return i4();
  } finally {
    t4();
  }
}
var n2;
var o3 = void 0;
function f3(i4) {
  var t5 = o3, r4 = n2;
  o3 = void 0;
  n2 = void 0;
  try {
    return i4();
  } finally {
    o3 = t5;
    n2 = r4;
  }
}
var h3 = void 0;
var v3 = 0;
var s3 = 0;
var e3 = 0;
var u3 = 0;
var c3 = void 0;
var a3 = 0;
function d3(i4) {
  if (void 0 !== o3) {
    var t5 = i4.n;
    if (void 0 === t5 || t5.t !== o3) {
      t5 = { i: 0, S: i4, p: o3.s, n: void 0, t: o3, e: void 0, x: void 0, r: t5 };
      if (void 0 !== o3.s) o3.s.n = t5;
      o3.s = t5;
      i4.n = t5;
      if (32 & o3.f) i4.S(t5);
      return t5;
    } else if (-1 === t5.i) {
      t5.i = 0;
      if (void 0 !== t5.n) {
        t5.n.p = t5.p;
        if (void 0 !== t5.p) t5.p.n = t5.n;
        t5.p = o3.s;
        t5.n = void 0;
        o3.s.n = t5;
        o3.s = t5;
      }
      return t5;
    }
  }
}
function l3(i4, t5) {
  this.v = i4;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == t5 ? void 0 : t5.watched;
  this.Z = null == t5 ? void 0 : t5.unwatched;
  this.name = null == t5 ? void 0 : t5.name;
}
l3.prototype.brand = i3;
l3.prototype.h = function() {
  return true;
};
l3.prototype.S = function(i4) {
  var t5 = this, r4 = this.t;
  if (r4 !== i4 && void 0 === i4.e) {
    i4.x = r4;
    this.t = i4;
    if (void 0 !== r4) r4.e = i4;
    else f3(function() {
      var i5;
      null == (i5 = t5.W) || i5.call(t5);
    });
  }
};
l3.prototype.U = function(i4) {
  var t5 = this;
  if (void 0 !== this.t) {
    var r4 = i4.e, n3 = i4.x;
    if (void 0 !== r4) {
      r4.x = n3;
      i4.e = void 0;
    }
    if (void 0 !== n3) {
      n3.e = r4;
      i4.x = void 0;
    }
    if (i4 === this.t) {
      this.t = n3;
      if (void 0 === n3) f3(function() {
        var i5;
        null == (i5 = t5.Z) || i5.call(t5);
      });
    }
  }
};
l3.prototype.subscribe = function(i4) {
  var t5 = this;
  return x2(function() {
    var r4 = t5.value;
    f3(function() {
      return i4(r4);
    });
  }, { name: "sub" });
};
l3.prototype.valueOf = function() {
  return this.value;
};
l3.prototype.toString = function() {
  return this.value + "";
};
l3.prototype.toJSON = function() {
  return this.value;
};
l3.prototype.peek = function() {
  var i4 = this;
  return f3(function() {
    return i4.value;
  });
};
Object.defineProperty(l3.prototype, "value", { get: function() {
  var i4 = d3(this);
  if (void 0 !== i4) i4.i = this.i;
  return this.v;
}, set: function(i4) {
  if (i4 !== this.v) {
    if (s3 > 100) throw new Error("Cycle detected");
    !(function(i5) {
      if (0 !== v3 && 0 === s3) {
        if (i5.l !== u3) {
          i5.l = u3;
          c3 = { S: i5, v: i5.v, i: i5.i, o: c3 };
        }
      }
    })(this);
    this.v = i4;
    this.i++;
    a3++;
    v3++;
    try {
      for (var r4 = this.t; void 0 !== r4; r4 = r4.x) r4.t.N();
    } finally {
      t4();
    }
  }
} });
function y3(i4, t5) {
  return new l3(i4, t5);
}
function w3(i4) {
  for (var t5 = i4.s; void 0 !== t5; t5 = t5.n) if (t5.S.i !== t5.i || !t5.S.h() || t5.S.i !== t5.i) return true;
  return false;
}
function b2(i4) {
  for (var t5 = i4.s; void 0 !== t5; t5 = t5.n) {
    var r4 = t5.S.n;
    if (void 0 !== r4) t5.r = r4;
    t5.S.n = t5;
    t5.i = -1;
    if (void 0 === t5.n) {
      i4.s = t5;
      break;
    }
  }
}
function _3(i4) {
  var t5 = i4.s, r4 = void 0;
  while (void 0 !== t5) {
    var n3 = t5.p;
    if (-1 === t5.i) {
      t5.S.U(t5);
      if (void 0 !== n3) n3.n = t5.n;
      if (void 0 !== t5.n) t5.n.p = n3;
    } else r4 = t5;
    t5.S.n = t5.r;
    if (void 0 !== t5.r) t5.r = void 0;
    t5 = n3;
  }
  i4.s = r4;
}
function j2(i4, t5) {
  l3.call(this, void 0, t5);
  this.x = i4;
  this.s = void 0;
  this.g = a3 - 1;
  this.f = 4;
}
j2.prototype = new l3();
j2.prototype.h = function() {
  this.f &= -3;
  if (1 & this.f) return false;
  if (32 == (36 & this.f)) return true;
  this.f &= -5;
  if (this.g === a3) return true;
  this.g = a3;
  this.f |= 1;
  if (this.i > 0 && !w3(this)) {
    this.f &= -2;
    return true;
  }
  var i4 = o3;
  try {
    b2(this);
    o3 = this;
    var t5 = this.x();
    if (16 & this.f || this.v !== t5 || 0 === this.i) {
      this.v = t5;
      this.f &= -17;
      this.i++;
    }
  } catch (i5) {
    this.v = i5;
    this.f |= 16;
    this.i++;
  }
  o3 = i4;
  _3(this);
  this.f &= -2;
  return true;
};
j2.prototype.S = function(i4) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (var t5 = this.s; void 0 !== t5; t5 = t5.n) t5.S.S(t5);
  }
  l3.prototype.S.call(this, i4);
};
j2.prototype.U = function(i4) {
  if (void 0 !== this.t) {
    l3.prototype.U.call(this, i4);
    if (void 0 === this.t) {
      this.f &= -33;
      for (var t5 = this.s; void 0 !== t5; t5 = t5.n) t5.S.U(t5);
    }
  }
};
j2.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (var i4 = this.t; void 0 !== i4; i4 = i4.x) i4.t.N();
  }
};
Object.defineProperty(j2.prototype, "value", { get: function() {
  if (1 & this.f) throw new Error("Cycle detected");
  var i4 = d3(this);
  this.h();
  if (void 0 !== i4) i4.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O2(i4, t5) {
  return new j2(i4, t5);
}
function p3(i4) {
  var r4 = i4.j;
  i4.j = void 0;
  if ("function" == typeof r4) {
    v3++;
    var n3 = o3;
    o3 = void 0;
    try {
      r4();
    } catch (t5) {
      i4.f &= -2;
      i4.f |= 8;
      g3(i4);
      throw t5;
    } finally {
      o3 = n3;
      t4();
    }
  }
}
function g3(i4) {
  for (var t5 = i4.s; void 0 !== t5; t5 = t5.n) t5.S.U(t5);
  i4.x = void 0;
  i4.s = void 0;
  p3(i4);
}
function S2(i4) {
  if (o3 !== this) throw new Error("Out-of-order effect");
  _3(this);
  o3 = i4;
  this.f &= -2;
  try {
    if (8 & this.f) g3(this);
  } finally {
    t4();
  }
}
function m3(i4, t5) {
  this.x = i4;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == t5 ? void 0 : t5.name;
  if (n2) n2.push(this);
}
m3.prototype.c = function() {
  var i4 = this.S();
  try {
    if (8 & this.f) return;
    if (void 0 === this.x) return;
    var t5 = this.x();
    if ("function" == typeof t5) this.j = t5;
  } finally {
    i4();
  }
};
m3.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p3(this);
  b2(this);
  v3++;
  var i4 = o3;
  o3 = this;
  return S2.bind(this, i4);
};
m3.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 2;
    this.u = h3;
    h3 = this;
  }
};
m3.prototype.d = function() {
  this.f |= 8;
  if (!(1 & this.f)) g3(this);
};
m3.prototype.dispose = function() {
  this.d();
};
function x2(i4, t5) {
  var r4 = new m3(i4, t5);
  try {
    r4.c();
  } catch (i5) {
    r4.d();
    throw i5;
  }
  var n3 = r4.d.bind(r4);
  n3[Symbol.dispose] = n3;
  return n3;
}

// node_modules/@preact/signals/dist/signals.module.js
var h4;
var d4;
var p4;
var m4 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var g4 = [];
x2(function() {
  h4 = this.N;
})();
function b3(i4, n3) {
  n[i4] = n3.bind(null, n[i4] || function() {
  });
}
function y4(i4) {
  if (p4) {
    var n3 = p4;
    p4 = void 0;
    n3();
  }
  p4 = i4 && i4.S();
}
function w4(i4) {
  var n3 = this, r4 = i4.data, t5 = useSignal(r4);
  t5.name = "ReactiveDom";
  t5.value = r4;
  var e4 = w2(function() {
    var i5 = n3, r5 = n3.__v;
    while (r5 = r5.__) if (r5.__c) {
      r5.__c.__$f |= 4;
      break;
    }
    var o5 = O2(function() {
      var i6 = t5.value.value;
      return 0 === i6 ? 0 : true === i6 ? "" : i6 || "";
    }), e5 = O2(function() {
      return !Array.isArray(o5.value) && !r(o5.value);
    }), u5 = x2(function() {
      this.N = M;
      if (e5.value) {
        var n4 = o5.value;
        if (i5.__v && i5.__v.__e && 3 === i5.__v.__e.nodeType) i5.__v.__e.data = n4;
      }
    }), c5 = n3.__$u.d;
    n3.__$u.d = function() {
      u5();
      c5.call(this);
    };
    return [e5, o5];
  }, []), u4 = e4[0], c4 = e4[1];
  return u4.value ? c4.peek() : c4.value;
}
w4.displayName = "ReactiveTextNode";
Object.defineProperties(l3.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w4 }, props: { configurable: true, get: function() {
  var i4 = this;
  return { data: { get value() {
    return i4.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b3("__b", function(i4, n3) {
  y4();
  d4 = void 0;
  if ("string" == typeof n3.type) {
    var r4, t5 = n3.props;
    for (var f5 in t5) if ("children" !== f5) {
      var o5 = t5[f5];
      if (o5 instanceof l3) {
        if (!r4) n3.__np = r4 = {};
        r4[f5] = o5;
        t5[f5] = o5.peek();
      }
    }
  }
  i4(n3);
});
b3("__r", function(i4, r4) {
  i4(r4);
  if (r4.type !== $) {
    y4();
    var t5, f5 = r4.__c;
    if (f5) {
      f5.__$f &= -2;
      if (void 0 === (t5 = f5.__$u)) f5.__$u = t5 = (function(i5, n3) {
        var r5;
        x2(function() {
          r5 = this;
        }, { name: n3 });
        r5.c = i5;
        return r5;
      })(/* @__PURE__ */ (function(i5) {
        return function() {
          var n3;
          if (m4) null == (n3 = this.y) || n3.call(this);
          i5.__$f |= 1;
          i5.setState({});
        };
      })(f5), "function" == typeof r4.type ? r4.type.displayName || r4.type.name : "");
    }
    d4 = f5;
    y4(t5);
  }
});
b3("__e", function(i4, n3, r4, t5) {
  y4();
  d4 = void 0;
  i4(n3, r4, t5);
});
b3("diffed", function(i4, n3) {
  y4();
  d4 = void 0;
  var r4;
  if ("string" == typeof n3.type && (r4 = n3.__e)) {
    var t5 = n3.__np, f5 = n3.props, o5 = r4.U;
    if (o5) for (var e4 in o5) {
      var u4 = o5[e4];
      if (!(void 0 === u4 || t5 && e4 in t5)) {
        u4.d();
        o5[e4] = void 0;
      }
    }
    if (t5) {
      if (!o5) {
        o5 = {};
        r4.U = o5;
      }
      for (var a5 in t5) {
        var c4 = o5[a5], v4 = t5[a5];
        if (void 0 === c4) {
          c4 = k3(r4, a5, v4, f5);
          o5[a5] = c4;
        } else c4.o(v4, f5);
      }
    }
  }
  i4(n3);
});
function k3(i4, n3, r4, t5) {
  var f5 = n3 in i4 && void 0 === i4.ownerSVGElement, o5 = y3(r4);
  return { o: function(i5, n4) {
    o5.value = i5;
    t5 = n4;
  }, d: x2(function() {
    this.N = M;
    var r5 = o5.value.value;
    if (t5[n3] !== r5) {
      t5[n3] = r5;
      if (f5) i4[n3] = r5;
      else if (null != r5 && (false !== r5 || "-" === n3[4])) i4.setAttribute(n3, r5);
      else i4.removeAttribute(n3);
    }
  }) };
}
b3("unmount", function(i4, n3) {
  if ("string" == typeof n3.type) {
    var r4 = n3.__e;
    if (r4) {
      var t5 = r4.U;
      if (t5) {
        r4.U = void 0;
        for (var f5 in t5) {
          var o5 = t5[f5];
          if (o5) o5.d();
        }
      }
    }
    var e4 = n3.__np;
    if (e4) {
      var u4 = n3.props;
      for (var a5 in e4) u4[a5] = e4[a5];
    }
    n3.__np = void 0;
  } else {
    var c4 = n3.__c;
    if (c4) {
      c4.__$f |= 8;
      var v4 = c4.__$u;
      if (v4) {
        c4.__$u = void 0;
        v4.d();
      }
    }
  }
  i4(n3);
});
b3("__h", function(i4, n3, r4, t5) {
  if (t5 < 3) n3.__$f |= 2;
  i4(n3, r4, t5);
});
x.prototype.shouldComponentUpdate = function(i4, n3) {
  if (this.__R) return true;
  var r4 = this.__$u, t5 = r4 && void 0 !== r4.s;
  for (var f5 in n3) return true;
  if (this.__f || "boolean" == typeof this.u && true === this.u) {
    var o5 = 2 & this.__$f;
    if (!(t5 || o5 || 4 & this.__$f)) return true;
    if (1 & this.__$f) return true;
  } else {
    if (!(t5 || 4 & this.__$f)) return true;
    if (3 & this.__$f) return true;
  }
  for (var e4 in i4) if ("__source" !== e4 && i4[e4] !== this.props[e4]) return true;
  for (var u4 in this.props) if (!(u4 in i4)) return true;
  return false;
};
function useSignal(i4, n3) {
  return w2(function() {
    return y3(i4, n3);
  }, []);
}
var A3 = function(i4) {
  queueMicrotask(function() {
    queueMicrotask(i4);
  });
};
function F3() {
  r3(function() {
    var i4;
    while (i4 = g4.shift()) h4.call(i4);
  });
}
function M() {
  if (1 === g4.push(this)) (n.requestAnimationFrame || A3)(F3);
}

// app/state/router.ts
var SECTIONS = ["general", "models", "tools", "usage", "about"];
function parse(path, hash, search = "") {
  if (path === "/") return { page: "home" };
  const session = /^\/s\/([^/]+)$/.exec(path)?.[1];
  if (session) return { page: "session", id: decodeURIComponent(session), message: hash.startsWith("#m-") ? hash.slice(3) : "", inspect: new URLSearchParams(search).get("inspect") ?? "" };
  const settings2 = /^\/settings(?:\/([^/]*))?$/.exec(path);
  if (settings2) return { page: "settings", section: SECTIONS.find((s4) => s4 === settings2[1]) ?? "general" };
  return { page: "missing" };
}
var here = () => parse(location.pathname, location.hash, location.search);
var route = y3(here());
var sessionPath = (id2, message = "") => `/s/${encodeURIComponent(id2)}${message ? `#m-${message}` : ""}`;
var inspectPath = (id2, turn) => `${sessionPath(id2)}?inspect=${encodeURIComponent(turn)}`;
function go(path, how = "push") {
  if (how === "push") history.pushState({ inner: true }, "", path);
  else history.replaceState(null, "", path);
  route.value = here();
}
function leaveInspector() {
  const now = route.peek();
  if (now.page !== "session" || now.inspect === "") return;
  if (history.state?.inner) history.back();
  else go(sessionPath(now.id), "replace");
}
function startRouter() {
  addEventListener("popstate", () => {
    route.value = here();
  });
  document.addEventListener("click", (e4) => {
    if (e4.defaultPrevented || e4.button !== 0 || e4.metaKey || e4.ctrlKey || e4.shiftKey || e4.altKey) return;
    const a5 = e4.target instanceof Element ? e4.target.closest("a[href]") : null;
    const href = a5?.getAttribute("href") ?? "";
    if (!a5 || a5.hasAttribute("target") || a5.hasAttribute("download")) return;
    if (!href.startsWith("/") || parse(new URL(href, location.href).pathname, "").page === "missing") return;
    e4.preventDefault();
    go(href);
  });
}

// app/wire/api.ts
var ApiError = class extends Error {
  /** `path`: the place in the body that is wrong, when it is known. */
  constructor(status, code2, detail, path = "") {
    super(detail || code2);
    this.status = status;
    this.code = code2;
    this.detail = detail;
    this.path = path;
  }
  status;
  code;
  detail;
  path;
};
var OfflineError = class extends Error {
};
async function call(method, path, options = {}) {
  const headers = { accept: "application/json" };
  if (options.body !== void 0) headers["content-type"] = "application/json";
  if (options.key) headers["idempotency-key"] = options.key;
  let response;
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      headers,
      credentials: "same-origin",
      ...options.body !== void 0 && { body: JSON.stringify(options.body) },
      ...options.signal && { signal: options.signal }
    });
  } catch (e4) {
    if (options.signal?.aborted) throw e4;
    throw new OfflineError(String(e4));
  }
  if (response.ok) return response.status === 204 ? void 0 : await response.json().catch(() => void 0);
  const problem = await response.json().catch(() => ({}));
  throw new ApiError(response.status, problem.code ?? `http_${response.status}`, problem.detail ?? problem.title ?? response.statusText, problem.path);
}
var id = encodeURIComponent;
var query = (fields) => {
  const set = Object.entries(fields).filter(([, v4]) => v4 !== void 0 && v4 !== "");
  return set.length ? `?${new URLSearchParams(set.map(([k4, v4]) => [k4, String(v4)]))}` : "";
};
var exportPath = (turn) => `/api/v1/turns/${id(turn)}/export`;
var api = {
  setup: () => call("GET", "/setup"),
  settings: () => call("GET", "/settings"),
  patchSettings: (body) => call("PATCH", "/settings", { body }),
  presets: () => call("GET", "/presets"),
  testProvider: (body) => call("POST", "/providers/test", { body }),
  providerModels: (provider) => call("POST", "/providers/models", { body: { provider } }),
  usage: (by, since, until) => call("GET", `/usage${query({ by, since, until })}`),
  sessions: (cursor, limit = 100) => call("GET", `/sessions${query({ limit, cursor })}`),
  session: (session) => call("GET", `/sessions/${id(session)}`),
  createSession: (body, key2) => call("POST", "/sessions", { body, key: key2 }),
  patchSession: (session, body) => call("PATCH", `/sessions/${id(session)}`, { body }),
  turn: (turn) => call("GET", `/turns/${id(turn)}`),
  turnRequest: (turn, request) => call("GET", `/turns/${id(turn)}/requests/${id(request)}`),
  approve: (approval, body, signal) => call("POST", `/approvals/${id(approval)}`, { body, signal }),
  deleteSession: (session) => call("DELETE", `/sessions/${id(session)}`),
  restoreSession: (session) => call("POST", `/sessions/${id(session)}/restore`),
  turns: (session, before, limit = 40) => call("GET", `/sessions/${id(session)}/turns${query({ limit, before })}`),
  messages: (session, beforeSeq) => call("GET", `/sessions/${id(session)}/messages${query({ limit: 200, before_seq: beforeSeq })}`),
  fork: (session, atSeq) => call("POST", `/sessions/${id(session)}/fork`, { body: { at_seq: atSeq }, key: crypto.randomUUID() }),
  search: (q3, signal) => call("GET", `/search${query({ q: q3 })}`, { signal })
};

// app/wire/outbox.ts
var KEY = "outbox";
var NO_ANSWER = "no_answer";
var ANSWER_MS = 5e3;
var Outbox = class {
  constructor(host) {
    this.host = host;
    this.entries = load(host.storage);
    for (const entry of this.entries) if (entry.state === "sending") entry.state = "waiting";
  }
  host;
  entries;
  timers = /* @__PURE__ */ new Map();
  creating = /* @__PURE__ */ new Set();
  of(chatId) {
    return this.entries.filter((e4) => e4.chat_id === chatId);
  }
  add(entry) {
    this.entries.push({ ...entry, state: "waiting" });
    this.save();
    this.push(entry.client_message_id);
  }
  /** A connection is ready: everything that is not known to be stored goes out again, in order. */
  connected() {
    for (const { client_message_id, state, reason } of [...this.entries]) {
      if (state === "waiting" || reason?.code === NO_ANSWER) this.push(client_message_id);
    }
  }
  disconnected() {
    for (const [id2, timer2] of this.timers) {
      clearTimeout(timer2);
      this.timers.delete(id2);
    }
    for (const { client_message_id, state, reason } of [...this.entries]) {
      if (state === "sending" || reason?.code === NO_ANSWER) this.change(client_message_id, "waiting");
    }
  }
  retry(id2) {
    this.push(id2);
  }
  accepted(id2) {
    this.patience(id2, false);
    this.change(id2, "accepted");
  }
  failed(id2, reason) {
    this.patience(id2, false);
    this.change(id2, "failed", reason);
  }
  /** The server has it, or the reader threw it away. */
  remove(id2) {
    const at2 = this.entries.findIndex((e4) => e4.client_message_id === id2);
    if (at2 === -1) return void 0;
    this.patience(id2, false);
    const [entry] = this.entries.splice(at2, 1);
    this.save();
    return entry;
  }
  /** The turns of a session were read: its accepted messages are among them, or on another branch. */
  settle(chatId, stored3) {
    for (const entry of this.of(chatId)) {
      if (entry.state === "accepted" || stored3.has(entry.client_message_id)) this.remove(entry.client_message_id);
    }
  }
  push(id2) {
    const entry = this.find(id2);
    if (!entry) return;
    if (entry.chat_id === null) {
      void this.create(entry);
      return;
    }
    const { client_message_id, chat_id, content, mode, preset } = entry;
    const sent = this.host.send({
      type: "message",
      chat_id,
      content,
      client_message_id,
      mode,
      ...entry.parent_message_id !== void 0 && { parent_message_id: entry.parent_message_id },
      ...preset && { preset }
    });
    this.patience(id2, sent);
    this.change(id2, sent ? "sending" : "waiting");
  }
  async create(entry) {
    const id2 = entry.client_message_id;
    if (this.creating.has(id2)) return;
    this.creating.add(id2);
    this.change(id2, "sending");
    try {
      const chatId = await this.host.createSession(entry);
      this.creating.delete(id2);
      const still = this.find(id2);
      if (!still) return;
      still.chat_id = chatId;
      this.save();
      this.push(id2);
    } catch (error2) {
      this.creating.delete(id2);
      const { offline, code: code2, detail } = this.host.describe(error2);
      if (offline) this.change(id2, "waiting");
      else this.change(id2, "failed", { code: code2, detail });
    }
  }
  /** Silence for 5 s after sending is said aloud and the line is tried; the message stays. */
  patience(id2, start2) {
    clearTimeout(this.timers.get(id2));
    this.timers.delete(id2);
    if (start2) this.timers.set(id2, setTimeout(() => {
      this.failed(id2, { code: NO_ANSWER, detail: "" });
      this.host.probe();
    }, ANSWER_MS));
  }
  find(id2) {
    return this.entries.find((e4) => e4.client_message_id === id2);
  }
  change(id2, state, reason) {
    const at2 = this.entries.findIndex((e4) => e4.client_message_id === id2);
    const { reason: _4, ...entry } = this.entries[at2] ?? {};
    if (at2 === -1) return;
    this.entries[at2] = { ...entry, state, ...reason && { reason } };
    this.save();
  }
  save() {
    this.host.storage.setItem(KEY, JSON.stringify(this.entries));
    this.host.onChange();
  }
};
function load(storage) {
  try {
    const list2 = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(list2) ? list2.filter((e4) => typeof e4.client_message_id === "string" && typeof e4.content === "string") : [];
  } catch {
    return [];
  }
}

// app/wire/socket.ts
var OPEN = 1;
var FIRST_DELAY_MS = 250;
var LAST_DELAY_MS = 8e3;
var PING_MS = 2e4;
var PONG_MS = 1e4;
var PROBE_MS = 3e3;
function reconnectDelay(attempt, random) {
  const base2 = Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return base2 * (0.8 + 0.4 * random);
}
var Socket = class {
  constructor(options) {
    this.options = options;
  }
  options;
  state = "connecting";
  raw = null;
  attempt = 0;
  retry;
  ping;
  connect() {
    clearTimeout(this.retry);
    this.drop();
    this.become("connecting");
    const raw = this.raw = this.options.open();
    raw.onmessage = (e4) => {
      if (this.raw === raw) this.receive(String(e4.data));
    };
    raw.onclose = (e4) => {
      if (this.raw === raw) this.closed(e4.code);
    };
    this.expect(PONG_MS);
  }
  /** The network may be back: try now instead of waiting, or check that an open socket still answers. */
  nudge() {
    if (this.state === "waiting") this.connect();
    else if (this.state === "ready") this.sendPing();
  }
  /** The browser lost its network: an open socket would not notice for a long time. A server on this machine is back at once. */
  offline() {
    if (this.state === "ready" || this.state === "connecting") this.closed(0);
  }
  /** The browser has a network again; an attempt from before may hang. */
  online() {
    this.attempt = 0;
    if (this.state === "connecting") this.connect();
    else this.nudge();
  }
  /** Something was not answered: ask whether anyone is there, and do not wait long for it. */
  probe() {
    if (this.state === "ready") this.sendPing(PROBE_MS);
  }
  /** False when the frame could not be sent; whoever sends keeps it until the next `ready`. */
  send(frame) {
    if (this.state !== "ready" && this.state !== "outdated") return false;
    if (this.raw?.readyState !== OPEN) return false;
    this.raw.send(JSON.stringify(frame));
    return true;
  }
  receive(text3) {
    let frame;
    try {
      frame = JSON.parse(text3);
    } catch {
      return;
    }
    this.expect();
    if (frame.event === "ready") {
      this.attempt = 0;
      this.become("ready");
    }
    this.options.onFrame(frame);
  }
  closed(code2) {
    this.drop();
    if (code2 === 4401) return this.become("signed_out");
    if (code2 === 4409) this.become("outdated");
    else this.become("waiting");
    const slow = code2 === 4429 ? LAST_DELAY_MS : 0;
    this.retry = setTimeout(() => this.connect(), slow + reconnectDelay(this.attempt++, (this.options.random ?? Math.random)()));
  }
  /** Any frame shows that the server is there; silence brings a ping, and silence after that a new socket. */
  expect(withinMs) {
    clearTimeout(this.ping);
    this.ping = withinMs === void 0 ? setTimeout(() => this.sendPing(), PING_MS) : setTimeout(() => this.closed(0), withinMs);
  }
  sendPing(withinMs = PONG_MS) {
    if (this.send({ type: "ping" })) this.expect(withinMs);
    else this.closed(0);
  }
  drop() {
    clearTimeout(this.ping);
    const raw = this.raw;
    this.raw = null;
    if (!raw) return;
    raw.onmessage = raw.onclose = null;
    raw.close();
  }
  become(state) {
    if (this.state === state) return;
    this.state = state;
    this.options.onState(state);
  }
};

// app/state/prefs.ts
function stored(key2, allowed, first) {
  const have = read2(key2);
  return y3(allowed.find((v4) => v4 === have) ?? first);
}
function read2(key2) {
  try {
    return localStorage.getItem(key2);
  } catch {
    return null;
  }
}
function write(key2, value) {
  try {
    if (value === null) localStorage.removeItem(key2);
    else localStorage.setItem(key2, value);
  } catch {
  }
}
var REASONING = ["live", "folded", "open"];
var SEND_KEYS = ["enter", "ctrl_enter"];
var theme = y3(boot.theme);
var reasoning = stored("reasoning", REASONING, "live");
var sendKey = stored("send_key", SEND_KEYS, "enter");
var sidebarShown = y3(read2("sidebar") !== "hidden");
var YEAR_S = 31536e3;
var setCookie = (name, value) => {
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR_S}; samesite=lax`;
};
function setTheme(value) {
  theme.value = value;
  document.documentElement.dataset.theme = value;
  setCookie("theme", value);
}
function setLanguage(lang) {
  setCookie("lang", lang);
  location.reload();
}
function setReasoning(value) {
  reasoning.value = value;
  write("reasoning", value);
}
function setSendKey(value) {
  sendKey.value = value;
  write("send_key", value);
}
function toggleSidebar() {
  sidebarShown.value = !sidebarShown.value;
  write("sidebar", sidebarShown.value ? null : "hidden");
}

// app/state/drafts.ts
var NEW = "new";
var key = (chat) => `draft:${chat}`;
function load2(chat) {
  try {
    return JSON.parse(read2(key(chat)) ?? "null");
  } catch {
    return null;
  }
}
function draftOf(chat, inOutbox) {
  const draft = load2(chat);
  if (!draft || typeof draft.text !== "string" || draft.sent && inOutbox(draft.sent)) return { text: "" };
  return draft;
}
function saveDraft(chat, text3, caret) {
  const have = load2(chat);
  if (text3 === "" && have?.sent) return;
  write(key(chat), text3 === "" ? null : JSON.stringify({ text: text3, ...caret !== void 0 && { caret } }));
}
function markSent(chat, text3, clientId) {
  write(key(chat), JSON.stringify({ text: text3, sent: clientId }));
}
function settleDraft(chat, clientId) {
  for (const k4 of [chat, NEW]) if (load2(k4)?.sent === clientId) write(key(k4), null);
}

// app/model/turns.ts
var LIVE = /* @__PURE__ */ new Set(["running", "awaiting_approval", "parked"]);
var isLive = (turn) => LIVE.has(turn.state);
var isSettled = (turn) => !isLive(turn) && turn.state !== "queued";
var isBusy = (state) => state !== "idle";
function queuedTurns(turns) {
  return turns.some(isLive) ? turns.filter((t5) => t5.state === "queued") : [];
}
function threadTurns(turns) {
  const queued = new Set(queuedTurns(turns));
  return turns.filter((t5) => !queued.has(t5));
}
var keyOf = (turn) => turn.user?.client_message_id ?? turn.id;
function answerText(turn) {
  return turn.parts.findLast((p5) => p5.kind === "text")?.text ?? "";
}
var TITLE_CHARS = 60;
function firstWords(text3) {
  const line = text3.split("\n").find((l4) => l4.trim() !== "")?.replace(/\s+/g, " ").trim() ?? "";
  const letters = [...line];
  if (letters.length <= TITLE_CHARS) return line;
  const cut = letters.slice(0, TITLE_CHARS).join("");
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), 0)) || cut}…`;
}
function rowsOf(parts) {
  const notices = parts.filter((p5) => p5.kind === "notice" && p5.code === "context_governed");
  const [, ...others] = notices;
  if (others.length < 2) return parts;
  const joined = new Set(others);
  return parts.flatMap((part) => {
    if (!joined.has(part)) return [part];
    return part === others.at(-1) ? [{ stream_id: others[0].stream_id, kind: "shortened", notices: others, times: notices.length }] : [];
  });
}
var ENDS = /* @__PURE__ */ new Set(["budget", "loop"]);
var toldByNotice = (turn) => !turn.error && ENDS.has(turn.stop_reason ?? "") && turn.parts.some((p5) => p5.kind === "notice" && p5.code === turn.stop_reason);
var isStep = (part) => part.kind === "reasoning" || part.kind === "shortened" || part.kind === "tool" || part.kind === "provider_tool" || part.kind === "notice" && part.code !== "model_switched" && !ENDS.has(part.code);
function groupSteps(parts, least) {
  const out = [];
  let run3 = [];
  const flush = () => {
    if (run3.length >= least) out.push({ kind: "steps", parts: run3 });
    else for (const part of run3) out.push({ kind: "part", part });
    run3 = [];
  };
  for (const part of parts) {
    if (isStep(part)) run3.push(part);
    else {
      flush();
      out.push({ kind: "part", part });
    }
  }
  flush();
  return out;
}
function countSteps(parts) {
  const counts = { steps: 0, durationMs: 0, failed: 0 };
  for (const p5 of parts) {
    if (!isStep(p5)) continue;
    counts.steps++;
    if ("duration_ms" in p5) counts.durationMs += p5.duration_ms ?? 0;
    if (p5.kind === "tool" && (p5.status === "error" || p5.status === "denied")) counts.failed++;
    if (p5.kind === "provider_tool" && p5.phase === "error") counts.failed++;
  }
  return counts;
}
function contextOf(turns) {
  const used = (t5) => t5.context_tokens ?? t5.usage?.context_tokens ?? 0;
  const last2 = turns.findLast((t5) => used(t5) > 0);
  return last2 ? { used: used(last2), window: (last2.context_window_tokens ?? last2.usage?.context_window_tokens) || null } : null;
}
function withoutDuplicates(older, have) {
  const ids = new Set(have.map((t5) => t5.id));
  return older.filter((t5) => !ids.has(t5.id));
}

// app/model/session.ts
var emptyView = () => ({ seq: 0, turns: [], state: "idle", title: "", preset: null, pinned: false, access: null });
var OUTPUT_LIMIT = 65536;
function apply(view, event) {
  if (event.seq <= view.seq) return { outcome: "stale" };
  if (event.prev_seq !== view.seq) return { outcome: "gap" };
  view.seq = event.seq;
  if (event.event === "session_updated") return { outcome: "applied", ...updateSession(view, event) };
  const id2 = event.turn_id;
  if (id2 === void 0) return { outcome: "applied" };
  const known = view.turns.find((t5) => t5.id === id2);
  const turn = known ?? newTurn(id2);
  if (!known) view.turns.push(turn);
  return { outcome: "applied", turn, ...!known && { list: true }, ...fold(view, turn, event) };
}
function newTurn(id2) {
  return { id: id2, origin: "user", state: "queued", parts: [] };
}
function updateSession(view, e4) {
  if (e4.title !== void 0) view.title = e4.title;
  if (e4.preset !== void 0) view.preset = e4.preset;
  if (e4.state !== void 0) view.state = e4.state;
  if (e4.pinned !== void 0) view.pinned = e4.pinned;
  if (e4.access !== void 0) view.access = e4.access || null;
  const turn = liveTurn(view, e4.turn_id);
  if (turn && e4.state !== void 0 && e4.state !== "idle") turn.state = e4.state;
  return { meta: true, ...turn && { turn } };
}
var liveTurn = (view, id2) => view.turns.find((t5) => LIVE.has(t5.state) && (id2 === void 0 || t5.id === id2));
function fold(view, turn, e4) {
  switch (e4.event) {
    case "user_message":
      return userMessage(view, turn, e4);
    case "turn_started": {
      const strange = e4.origin === "user" && turn.user === void 0;
      const waited = turn.queue_position !== void 0;
      Object.assign(turn, { origin: e4.origin, preset: e4.preset, model: e4.model, state: "running", started_at: e4.at });
      delete turn.queue_position;
      view.state = "running";
      return { list: true, meta: true, ...(strange || waited) && { reread: strange ? "unknown_turn" : "left_queue" } };
    }
    case "turn_resumed":
      turn.resumed = e4.attempt;
      turn.state = "running";
      return { meta: true };
    case "iteration_started":
      turn.state = "running";
      return {};
    case "reasoning_delta":
      return grow(turn, "reasoning", e4.stream_id, e4.text);
    case "delta":
      return grow(turn, "text", e4.stream_id, e4.text);
    case "reasoning_end":
      return close(turn, "reasoning", e4.stream_id, e4.chars, e4.duration_ms);
    case "stream_end":
      return close(turn, "text", e4.stream_id, e4.chars);
    case "stream_discarded":
      turn.parts = turn.parts.filter((p5) => p5.stream_id !== e4.stream_id && !belongs(p5, e4.stream_id));
      return {};
    case "tool_started": {
      lockText(turn);
      const { stream_id, call_id, name, hint } = e4;
      if (!toolOf(turn, call_id)) turn.parts.push({ stream_id, kind: "tool", call_id, name, arguments: e4.arguments, ...hint && { hint }, status: "running" });
      return {};
    }
    case "tool_output": {
      const tool = toolOf(turn, e4.call_id);
      if (!tool) return {};
      tool.output = ((tool.output ?? "") + e4.text).slice(-OUTPUT_LIMIT);
      return { grown: tool };
    }
    case "tool_finished": {
      const tool = toolOf(turn, e4.call_id);
      if (!tool) return {};
      const { status, preview, duration_ms, diff, exit_code } = e4;
      Object.assign(tool, { status, preview, duration_ms, ...diff !== void 0 && { diff }, ...exit_code !== void 0 && { exit_code } });
      return {};
    }
    case "approval_requested":
      approvalRequested(turn, e4);
      return { meta: true };
    case "approval_resolved":
      approvalResolved(turn, e4);
      return { meta: true };
    case "notice": {
      const { stream_id, code: code2, text: text3, data } = e4;
      turn.parts.push({ stream_id, kind: "notice", code: code2, text: text3, ...data !== void 0 && { data } });
      return {};
    }
    case "retry_wait": {
      const { stream_id, attempt, max_attempts, delay_ms, code: code2 } = e4;
      const data = { attempt, max_attempts, delay_ms, code: code2, until_at: e4.at + delay_ms };
      turn.parts.push({ stream_id, kind: "notice", code: "retry_wait", text: e4.reason, data });
      return {};
    }
    case "model_switched": {
      const { from, to, model, code: code2 } = e4;
      const data = { from, to, ...model !== void 0 && { model }, code: code2 };
      Object.assign(turn, { preset: to }, model !== void 0 && { model });
      turn.parts.push({ stream_id: e4.stream_id, kind: "notice", code: "model_switched", text: e4.reason, data });
      return {};
    }
    case "provider_tool":
      return providerTool(turn, e4);
    case "context_governed":
      turn.parts.push({ stream_id: e4.stream_id, kind: "notice", code: "context_governed", text: "", data: { steps: e4.steps, budget_tokens: e4.budget_tokens } });
      return {};
    case "usage":
      return usage(turn, e4);
    case "message":
      turn.answer_id = e4.message_id;
      return {};
    case "turn_finished":
      finish(turn, e4);
      return { list: true, meta: true };
    default:
      return {};
  }
}
function userMessage(view, turn, e4) {
  const mine = e4.client_message_id !== void 0 && { client_message_id: e4.client_message_id };
  for (const t5 of view.turns) if (t5.parts.some((p5) => p5.kind === "steer" && p5.message_id === e4.message_id)) t5.parts = t5.parts.filter((p5) => p5.kind !== "steer" || p5.message_id !== e4.message_id);
  if (e4.steer) {
    lockText(turn);
    turn.parts.push({ stream_id: e4.stream_id ?? e4.message_id, kind: "steer", message_id: e4.message_id, text: e4.text });
    return { ...mine };
  }
  turn.user = { id: e4.message_id, seq: e4.seq, content: e4.text, parent_id: e4.parent_id, created_at: e4.at, ...e4.branch && { branch: e4.branch }, ...mine };
  const before = view.turns.filter((t5) => t5 !== turn && (t5.state === "queued" || LIVE.has(t5.state))).length;
  if (before > 0) turn.queue_position = before;
  return { list: true, ...mine, ...e4.branch && { reread: "branch" } };
}
var isText = (p5) => p5.kind === "reasoning" || p5.kind === "text";
var belongs = (p5, streamId) => isText(p5) && (p5.stream_id === streamId || p5.stream_id.startsWith(`${streamId}~`));
function grow(turn, kind, streamId, text3) {
  const have = turn.parts.findLast((p5) => isText(p5) && p5.kind === kind && belongs(p5, streamId));
  if (have?.open) {
    have.text += text3;
    return { grown: have };
  }
  const again = have ? turn.parts.filter((p5) => belongs(p5, streamId)).length : 0;
  turn.parts.push({ stream_id: again ? `${streamId}~${again}` : streamId, kind, text: text3, open: true });
  return {};
}
function close(turn, kind, streamId, chars, durationMs) {
  const mine = turn.parts.filter((p5) => isText(p5) && p5.kind === kind && belongs(p5, streamId));
  const last2 = mine.at(-1);
  if (!last2) return {};
  last2.open = false;
  if (durationMs !== void 0) last2.duration_ms = durationMs;
  const have = mine.reduce((n3, p5) => n3 + scalars(p5.text), 0);
  return typeof chars === "number" && have !== chars ? { reread: "text_differs" } : {};
}
function scalars(text3) {
  let n3 = text3.length;
  for (let i4 = 0; i4 < text3.length - 1; i4++) {
    const high = text3.charCodeAt(i4) & 64512;
    if (high === 55296 && (text3.charCodeAt(i4 + 1) & 64512) === 56320) {
      n3--;
      i4++;
    }
  }
  return n3;
}
function lockText(turn) {
  for (const p5 of turn.parts) if (isText(p5)) p5.open = false;
}
var toolOf = (turn, callId) => turn.parts.find((p5) => p5.kind === "tool" && p5.call_id === callId);
function approvalRequested(turn, e4) {
  const { stream_id, approval_id, kind, call_id, tool: name, hint, reason, diff, requested_at, expires_at, covers } = e4;
  const approval = {
    approval_id,
    kind,
    tool: name,
    ...call_id !== void 0 && { call_id },
    arguments: e4.arguments,
    hint,
    reason,
    ...diff !== void 0 && { diff },
    requested_at,
    expires_at,
    covers
  };
  const tool = call_id === void 0 ? void 0 : toolOf(turn, call_id);
  if (kind === "tool") {
    if (tool) Object.assign(tool, { status: "waiting", approval });
    return;
  }
  lockText(turn);
  const have = turn.parts.find((p5) => p5.kind === "approval" && p5.stream_id === stream_id);
  if (have) have.approval = approval;
  else turn.parts.push({ stream_id, kind: "approval", approval });
}
function approvalResolved(turn, e4) {
  const part = turn.parts.find((p5) => (p5.kind === "tool" || p5.kind === "approval") && p5.approval?.approval_id === e4.approval_id);
  if (!part?.approval) return;
  const { decision, by, reason } = e4;
  part.approval = { ...part.approval, decision, ...by !== void 0 && { by }, ...reason !== void 0 && { decided_reason: reason }, decided_at: e4.at };
  if (part.approval.kind === "budget" && e4.arguments !== void 0) part.approval.arguments = { ...part.approval.arguments, ...e4.arguments };
  if (part.kind !== "tool" || !ALLOWED.has(decision)) return;
  Object.assign(part, { status: "running", ...e4.arguments !== void 0 && { arguments: e4.arguments, hint: "" } });
}
var ALLOWED = /* @__PURE__ */ new Set(["allow_once", "allow_session", "allow_always"]);
function providerTool(turn, e4) {
  const { stream_id, call_id, name, phase, arguments: args, text: text3 } = e4;
  const fields = { phase, ...args !== void 0 && { arguments: args }, ...text3 !== void 0 && { text: text3 } };
  const have = turn.parts.find((p5) => p5.kind === "provider_tool" && p5.stream_id === stream_id);
  if (have) Object.assign(have, fields);
  else turn.parts.push({ stream_id, kind: "provider_tool", call_id, name, ...fields });
  return {};
}
function usage(turn, e4) {
  const before = turn.usage;
  turn.usage = {
    input_tokens: (before?.input_tokens ?? 0) + e4.input_tokens,
    cached_tokens: (before?.cached_tokens ?? 0) + e4.cached_tokens,
    output_tokens: (before?.output_tokens ?? 0) + e4.output_tokens,
    ...(before?.cost_usd !== void 0 || e4.cost_usd !== void 0) && { cost_usd: (before?.cost_usd ?? 0) + (e4.cost_usd ?? 0) }
  };
  turn.context_tokens = e4.context_tokens;
  turn.context_window_tokens = e4.context_window_tokens;
  return { meta: true };
}
function finish(turn, e4) {
  lockText(turn);
  for (const p5 of turn.parts) if (p5.kind === "tool" && (p5.status === "running" || p5.status === "waiting")) p5.status = "cancelled";
  for (const p5 of turn.parts) if (p5.kind === "provider_tool" && (p5.phase === "started" || p5.phase === "running")) p5.phase = "error";
  turn.stop_reason = e4.stop_reason;
  turn.state = e4.stop_reason === "cancelled" || e4.stop_reason === "interrupted" ? e4.stop_reason : e4.error ? "failed" : "done";
  turn.ended_at = e4.at;
  if (e4.error) turn.error = e4.error;
  if (e4.usage) turn.usage = e4.usage;
}

// app/wire/feed.ts
var FIRST_RETRY_MS = 250;
var LAST_RETRY_MS = 8e3;
var Feed = class {
  constructor(chatId, host) {
    this.chatId = chatId;
    this.host = host;
  }
  chatId;
  host;
  view = emptyView();
  /** Cursor of the page of older turns, null when the first turn is here, undefined before the first read. */
  older;
  phase = "offline";
  loaded = false;
  closed = false;
  /** Attach frames that are sent and not answered; only the last answer counts. */
  outstanding = 0;
  attempt = 0;
  timer;
  reread = /* @__PURE__ */ new Set();
  reading = 0;
  /** Reads the newest page of turns, then attaches behind it. */
  async read() {
    const mine = ++this.reading;
    clearTimeout(this.timer);
    this.phase = "reading";
    try {
      const page = await this.host.turns(this.chatId);
      if (this.closed || mine !== this.reading) return;
      this.adopt(page);
      this.attach();
    } catch (error2) {
      if (this.closed || mine !== this.reading) return;
      this.phase = "failed";
      this.host.onError(error2);
    }
  }
  /** The page of older turns, put in front of the ones here. */
  async readOlder() {
    if (!this.older) return;
    const cursor = this.older;
    const page = await this.host.turns(this.chatId, cursor);
    if (this.closed || this.older !== cursor) return;
    this.view.turns = [...withoutDuplicates(page.items, this.view.turns), ...this.view.turns];
    this.older = page.next_cursor;
    this.host.onReset();
  }
  /** A new connection is ready: go on where the last one stopped. */
  connected() {
    this.outstanding = 0;
    this.attempt = 0;
    if (this.phase === "reading") return;
    if (this.loaded) this.attach();
    else void this.read();
  }
  disconnected() {
    clearTimeout(this.timer);
    this.outstanding = 0;
    if (this.phase !== "reading") this.phase = "offline";
  }
  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.host.send({ type: "detach", chat_id: this.chatId });
  }
  attached(frame) {
    if (this.closed || this.outstanding === 0) return;
    if (--this.outstanding > 0 || this.phase !== "attaching") return;
    if (frame.mode === "reload") {
      this.again(() => void this.read());
      return;
    }
    const { view } = this;
    this.phase = "live";
    view.state = frame.state;
    const silent = frame.head_seq <= view.seq && frame.state === "idle" && view.turns.some(isLive);
    if (silent && !this.reread.has("idle")) {
      this.reread.add("idle");
      void this.read();
    }
    this.host.onChange({ outcome: "applied", meta: true });
  }
  event(event) {
    if (this.closed || this.phase !== "live") return;
    const change2 = apply(this.view, event);
    if (change2.outcome === "stale") return;
    if (change2.outcome === "gap") {
      this.phase = "attaching";
      this.again(() => this.attach());
      return;
    }
    this.attempt = 0;
    this.host.onChange(change2);
    if (change2.reread && this.once(change2.reread, event)) void this.read();
  }
  attach() {
    if (this.closed) return;
    this.phase = "attaching";
    if (this.host.send({ type: "attach", chat_id: this.chatId, after_seq: this.view.seq })) this.outstanding++;
    else this.phase = "offline";
  }
  /** At once the first time, then ever later while no event could be applied in between. */
  again(action) {
    clearTimeout(this.timer);
    const delay = this.attempt === 0 ? 0 : Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.attempt - 1));
    this.attempt++;
    if (delay === 0) action();
    else this.timer = setTimeout(action, delay);
  }
  /** A text that differs is read again once; a second difference would never end. */
  once(why, event) {
    if (why !== "text_differs") return true;
    const key2 = "stream_id" in event ? String(event.stream_id) : "";
    const first = !this.reread.has(key2);
    this.reread.add(key2);
    return first;
  }
  adopt(page) {
    const { view } = this;
    const first = page.items[0]?.id;
    const at2 = view.turns.findIndex((t5) => t5.id === first);
    const kept = this.loaded && at2 > 0 && page.next_cursor !== null ? view.turns.slice(0, at2) : [];
    view.turns = [...kept, ...page.items];
    view.seq = page.head_seq;
    if (kept.length === 0) this.older = page.next_cursor;
    this.loaded = true;
    this.host.onReset();
  }
};

// app/state/frame.ts
var dirty = /* @__PURE__ */ new Set();
var jobs = /* @__PURE__ */ new Set();
var asked = false;
function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(run);
}
function run() {
  asked = false;
  const due = [...jobs];
  jobs.clear();
  for (const job of due) job();
  for (const part of [...dirty]) {
    dirty.delete(part);
    if (part.paint()) dirty.add(part);
  }
  if (dirty.size) ask();
}
function repaint(part) {
  dirty.add(part);
  ask();
}
function forget(part) {
  dirty.delete(part);
}
function nextFrame(job) {
  jobs.add(job);
  ask();
}

// app/state/open-session.ts
var growth = /* @__PURE__ */ new WeakMap();
function onGrowth(part, listener) {
  const set = growth.get(part) ?? /* @__PURE__ */ new Set();
  growth.set(part, set.add(listener));
  return () => {
    set.delete(listener);
  };
}
var OpenSession = class {
  constructor(id2, send3, seen2) {
    this.id = id2;
    this.seen = seen2;
    this.feed = new Feed(id2, {
      send: send3,
      turns: (chat, before) => api.turns(chat, before),
      onReset: () => this.reset(),
      onChange: (change2) => this.note(change2),
      onError: (error2) => {
        if (this.load.peek() !== "ready") this.load.value = error2 instanceof ApiError && error2.status === 404 ? "missing" : "error";
      }
    });
  }
  id;
  seen;
  feed;
  load = y3("loading");
  /** Changes when turns come, go or move. */
  list = y3(0);
  /** Changes with title, state, model or meter. */
  meta = y3(0);
  /** The folder that the agent works in, when the session has one of its own. */
  workspace = "";
  turns = /* @__PURE__ */ new WeakMap();
  changed = /* @__PURE__ */ new Set();
  stored = /* @__PURE__ */ new Set();
  wasReset = false;
  listChanged = false;
  metaChanged = false;
  get view() {
    return this.feed.view;
  }
  /** Reading `.value` of it makes a view redraw when this turn changes. */
  version(turn) {
    const have = this.turns.get(turn) ?? y3(0);
    this.turns.set(turn, have);
    return have;
  }
  /** Title, state and model as the list of sessions has them. */
  adoptMeta(meta) {
    this.workspace = meta.workspace ?? "";
    Object.assign(this.view, { title: meta.title, preset: meta.preset, pinned: meta.pinned, access: meta.access ?? null });
    this.metaChanged = true;
    nextFrame(this.publish);
  }
  /** The answer that the server took; its event says the same, and may come later. */
  adoptApproval(approval) {
    for (const turn of this.view.turns) {
      for (const part of turn.parts) {
        if (part.kind !== "tool" && part.kind !== "approval" || part.approval?.approval_id !== approval.approval_id) continue;
        part.approval = { ...part.approval, ...approval };
        this.note({ outcome: "applied", turn, meta: true });
      }
    }
  }
  reset() {
    this.load.value = "ready";
    this.wasReset = this.listChanged = this.metaChanged = true;
    nextFrame(this.publish);
  }
  note(change2) {
    if (change2.outcome !== "applied") return;
    if (change2.reread === "text_differs") this.seen.mismatch();
    if (change2.client_message_id !== void 0) this.stored.add(change2.client_message_id);
    if (change2.grown) {
      for (const listener of growth.get(change2.grown) ?? []) listener();
      return;
    }
    if (change2.turn) this.changed.add(change2.turn);
    this.listChanged ||= change2.list === true;
    this.metaChanged ||= change2.meta === true;
    nextFrame(this.publish);
  }
  publish = () => r3(() => {
    for (const turn of this.changed) this.version(turn).value++;
    this.changed.clear();
    for (const id2 of this.stored) this.seen.stored(id2);
    this.stored.clear();
    if (this.wasReset) this.seen.reset(this);
    if (this.listChanged) this.list.value++;
    if (this.metaChanged) this.meta.value++;
    this.wasReset = this.listChanged = this.metaChanged = false;
  });
};
var subscribeTurn = (session, turn) => {
  if (!isSettled(turn)) void session.version(turn).value;
};

// app/state/app.ts
var connection = y3("connecting");
var limits = y3(boot.limits);
var serverVersion = y3(boot.version);
var sessions = y3(null);
var sessionsError = y3(false);
var moreSessions = y3(null);
var open = y3(null);
var outgoing = y3([]);
var presets = y3([]);
var setup = y3(null);
var banner = y3("");
var removed = /* @__PURE__ */ new Set();
var bannerOf = "";
var mismatches = y3(0);
var socket = new Socket({
  open: () => new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`),
  onFrame: receive,
  onState: (state) => {
    connection.value = state;
    if (state === "ready") return;
    open.peek()?.feed.disconnected();
    outbox.disconnected();
  }
});
var send = (frame) => socket.send(frame);
var outbox = new Outbox({
  storage: sessionStorage,
  send,
  createSession: async (entry) => {
    const session = await api.createSession(entry.preset ? { preset: entry.preset } : {}, entry.client_message_id);
    if (entry.access) await api.patchSession(session.id, { access: entry.access });
    if (route.peek().page === "home") go(sessionPath(session.id));
    refreshSessions();
    return session.id;
  },
  describe,
  probe: () => socket.probe(),
  onChange: () => {
    outgoing.value = [...outbox.entries];
  }
});
outgoing.value = [...outbox.entries];
function describe(error2) {
  if (error2 instanceof ApiError) {
    if (error2.status === 401) location.assign("/login");
    return { code: error2.code, detail: error2.detail, offline: false };
  }
  return { code: "unreachable", detail: error2 instanceof Error ? error2.message : String(error2), offline: error2 instanceof OfflineError };
}
function receive(frame) {
  switch (frame.event) {
    case "ready":
      limits.value = frame.limits ?? limits.peek();
      serverVersion.value = frame.server_version;
      open.peek()?.feed.connected();
      outbox.connected();
      refreshSessions();
      return;
    case "attached":
      if (frame.chat_id === open.peek()?.id) open.peek()?.feed.attached(frame);
      return;
    case "accepted":
      accepted(frame);
      return;
    case "error":
      refused(frame);
      return;
    case "pong":
      return;
    case "sessions_changed":
      refreshSessions();
      return;
    default:
      if (frame.event === "session_updated") patchListed(frame.chat_id, frame);
      if (frame.event === "user_message" && frame.client_message_id) stored2(frame.chat_id, frame.client_message_id);
      if (frame.chat_id === open.peek()?.id) open.peek()?.feed.event(frame);
  }
}
function accepted(frame) {
  const id2 = frame.client_message_id;
  if (id2 === void 0) return;
  settleDraft(frame.chat_id, id2);
  if (frame.chat_id === open.peek()?.id) outbox.accepted(id2);
  else outbox.remove(id2);
}
function stored2(chatId, clientId) {
  settleDraft(chatId, clientId);
  if (chatId !== open.peek()?.id) outbox.remove(clientId);
}
function refused(frame) {
  const { code: code2, detail, client_message_id, chat_id } = frame;
  if (client_message_id !== void 0) {
    outbox.failed(client_message_id, { code: code2, detail });
    return;
  }
  const gone = code2 === "no_session" && chat_id !== void 0 ? chat_id : "";
  if (removed.has(gone)) return;
  bannerOf = gone;
  banner.value = detail || code2;
}
var refreshTimer;
function refreshSessions() {
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(() => void readSessions(), 120);
}
async function readSessions() {
  try {
    const page = await api.sessions(void 0, Math.max(100, Math.min(200, sessions.peek()?.length ?? 0)));
    sessions.value = page.items;
    moreSessions.value = page.next_cursor;
    sessionsError.value = false;
    if (bannerOf && page.items.some((s4) => s4.id === bannerOf)) bannerOf = banner.value = "";
    adoptListed();
  } catch (error2) {
    describe(error2);
    sessionsError.value = sessions.peek() === null;
  }
}
async function readMoreSessions() {
  const cursor = moreSessions.peek();
  if (!cursor) return;
  moreSessions.value = null;
  const page = await api.sessions(cursor);
  const have = new Set(sessions.peek()?.map((s4) => s4.id));
  sessions.value = [...sessions.peek() ?? [], ...page.items.filter((s4) => !have.has(s4.id))];
  moreSessions.value = page.next_cursor;
}
function patchListed(id2, patch2) {
  const fields = {};
  if (patch2.title !== void 0) fields.title = patch2.title;
  if (patch2.state !== void 0) fields.state = patch2.state;
  if (patch2.preset !== void 0) fields.preset = patch2.preset;
  if (patch2.pinned !== void 0) fields.pinned = patch2.pinned;
  if (patch2.access !== void 0) fields.access = patch2.access || null;
  sessions.value = sessions.peek()?.map((s4) => s4.id === id2 ? { ...s4, ...fields } : s4) ?? null;
}
function adoptListed() {
  const now = open.peek();
  const listed = sessions.peek()?.find((s4) => s4.id === now?.id);
  if (now && listed) now.adoptMeta(listed);
}
function show(id2) {
  const now = open.peek();
  if (now?.id === id2) return;
  now?.feed.close();
  if (id2 === null) {
    open.value = null;
    return;
  }
  const next = new OpenSession(id2, send, {
    mismatch: () => {
      mismatches.value++;
    },
    stored: (clientId) => {
      outbox.remove(clientId);
    },
    reset: (session) => {
      const ids = session.view.turns.flatMap((t5) => t5.user?.client_message_id ?? []);
      for (const clientId of ids) settleDraft(session.id, clientId);
      outbox.settle(session.id, new Set(ids));
    }
  });
  open.value = next;
  void next.feed.read();
  adoptListed();
  if (!sessions.peek()?.some((s4) => s4.id === id2)) void api.session(id2).then((s4) => next.adoptMeta(s4), () => void 0);
}
async function readPresets() {
  try {
    presets.value = (await api.presets()).items;
  } catch (error2) {
    describe(error2);
  }
}
async function readSetup() {
  try {
    setup.value = await api.setup();
  } catch (error2) {
    describe(error2);
  }
}
function start() {
  x2(() => {
    const r4 = route.value;
    f3(() => {
      if (r4.page !== "settings") show(r4.page === "session" ? r4.id : null);
    });
  });
  socket.connect();
  void readPresets();
  void readSetup();
  addEventListener("online", () => socket.online());
  addEventListener("offline", () => socket.offline());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) socket.nudge();
  });
}

// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var f4 = /* @__PURE__ */ Symbol.for("pv");
var o4 = 0;
function a4(t5, e4, n3, u4, a5, i4) {
  e4 || (e4 = {});
  var c4, l4, p5 = e4;
  if ("ref" in p5 && "function" != typeof t5) for (l4 in p5 = {}, e4) "ref" == l4 ? c4 = e4[l4] : p5[l4] = e4[l4];
  var s4 = { type: t5, props: p5, key: n3, ref: c4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f4, __v: --o4, __i: -1, __u: 0 };
  return (a5 || i4) && (s4.__source = a5, s4.__self = i4), n.vnode && n.vnode(s4), s4;
}

// app/model/tools.ts
var VERBS = {
  read_file: "read",
  write_file: "edit",
  edit_file: "edit",
  apply_patch: "edit",
  list_dir: "look",
  find_files: "look",
  grep: "grep",
  exec: "run",
  write_stdin: "run",
  web_search: "search",
  web_fetch: "open",
  spawn: "delegate",
  cron: "schedule",
  message: "send",
  send_session_message: "send",
  search_sessions: "recall",
  read_session: "recall",
  generate_image: "draw"
};
var verbOf = (name) => VERBS[name] ?? "use";
function providerVerb(name) {
  const plain2 = name.toLowerCase();
  if (/web.?search|google.?search|browser.?search/.test(plain2)) return "search";
  if (/fetch|url.?context|open.?page/.test(plain2)) return "open";
  if (/code|interpreter|bash|shell/.test(plain2)) return "run";
  if (/image/.test(plain2)) return "draw";
  if (/file.?search/.test(plain2)) return "grep";
  return "use";
}
function providerObject(part) {
  if (typeof part.arguments === "string") return oneLine(part.arguments);
  const args = typeof part.arguments === "object" && part.arguments !== null ? part.arguments : {};
  const found = ["query", "queries", "url", "code", "command", ...OBJECT_KEYS].map((k4) => args[k4]).map((v4) => Array.isArray(v4) ? v4[0] : v4).find((v4) => typeof v4 === "string" && v4 !== "");
  const verb = providerVerb(part.name);
  if (found === void 0) return verb === "use" ? part.name : "";
  return verb === "search" || verb === "grep" ? quoted(found) : verb === "open" ? hostPath(found) : oneLine(found);
}
var OBJECT_KEYS = ["path", "file_path", "pattern", "query", "command", "cmd", "url", "label", "name", "title", "prompt"];
function objectOf(part) {
  const args = typeof part.arguments === "object" && part.arguments !== null ? part.arguments : {};
  const verb = verbOf(part.name);
  const value = (key2) => typeof args[key2] === "string" ? args[key2] : typeof args[key2] === "number" ? String(args[key2]) : "";
  const first = () => OBJECT_KEYS.map(value).find((v4) => v4 !== "") ?? "";
  switch (verb) {
    case "read": {
      if (part.hint) return shorten(part.hint);
      const from = value("offset") || value("start_line");
      return shorten(value("path") || first()) + (from ? `:${from}` : "");
    }
    case "look":
      return shorten(value("pattern") || value("path") || first() || ".");
    case "grep":
      return quoted(value("pattern") || first());
    case "search":
    case "recall":
      return quoted(value("query") || first());
    case "run":
      return oneLine(value("command") || value("cmd") || first());
    case "open":
      return hostPath(value("url") || first());
    case "use":
      return part.name;
    default:
      return shorten(oneLine(first()));
  }
}
var quoted = (text3) => text3 ? `"${clip(oneLine(text3), 60)}"` : "";
var oneLine = (text3) => clip(text3.split("\n").find((line) => line.trim() !== "")?.trim() ?? "", 120);
var clip = (text3, max) => text3.length <= max ? text3 : `${[...text3].slice(0, max - 1).join("")}…`;
function shorten(path, max = 56) {
  const letters = [...path];
  if (letters.length <= max) return path;
  const tail = Math.ceil(max * 0.65);
  return `${letters.slice(0, max - tail - 1).join("")}…${letters.slice(-tail).join("")}`;
}
function hostPath(url) {
  try {
    const { host, pathname } = new URL(url);
    return shorten(host + (pathname === "/" ? "" : pathname));
  } catch {
    return shorten(url);
  }
}
function markOf(part) {
  switch (part.status) {
    case "running":
      return "live";
    case "waiting":
      return "wait";
    case "ok":
      return "ok";
    case "error":
    case "denied":
      return "bad";
    default:
      return "off";
  }
}

// app/model/approvals.ts
var isPending = (approval) => approval !== void 0 && approval.decision === void 0;
function pendingOf(turn) {
  if (!isLive(turn)) return [];
  return turn.parts.flatMap((p5) => {
    if (p5.kind === "tool") return p5.status === "waiting" && isPending(p5.approval) ? [p5.approval] : [];
    return p5.kind === "approval" && isPending(p5.approval) ? [p5.approval] : [];
  });
}
function budgetOf(approval) {
  const a5 = approval.arguments;
  return approval.kind === "budget" && typeof a5 === "object" && a5 !== null && typeof a5.limit === "number" && typeof a5.used === "number" ? a5 : null;
}
function shownOf(approval) {
  const args = approval.arguments;
  if (typeof args === "string") return { rest: args };
  if (typeof args !== "object" || args === null || Array.isArray(args)) return { rest: jsonOf(args) };
  const { command, ...others } = args;
  if (verbOf(approval.tool) !== "run" || typeof command !== "string") return { rest: jsonOf(args) };
  return { command, ...Object.keys(others).length > 0 && { rest: jsonOf(others) } };
}
var jsonOf = (value) => JSON.stringify(value ?? {}, null, 2);
function hostOf(approval) {
  const { url } = approval.arguments ?? {};
  try {
    return typeof url === "string" ? new URL(url).host : "";
  } catch {
    return "";
  }
}
var HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]|[\u{e0000}-\u{e0fff}]/u;
function piecesOf(text3) {
  const out = [];
  for (const part of text3.split(new RegExp(`(${HIDDEN.source})`, "u"))) {
    if (part === "") continue;
    const code2 = HIDDEN.test(part) && [...part].length === 1 ? part.codePointAt(0) : null;
    out.push(code2 === null ? { text: part } : { text: part, hidden: `U+${code2.toString(16).toUpperCase().padStart(4, "0")}` });
  }
  return out;
}
function typedArguments(typed2, asked3) {
  if (typed2 === null) return { value: null };
  let value;
  try {
    value = JSON.parse(typed2);
  } catch {
    return "json";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "json_object";
  return { value: JSON.stringify(value) === JSON.stringify(asked3) ? null : value };
}

// app/parts/clock.ts
var listeners = /* @__PURE__ */ new Set();
var timer;
function tick() {
  for (const listener of listeners) listener();
}
function listen(listener) {
  listeners.add(listener);
  timer ??= setInterval(tick, 1e3);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = void 0;
    }
  };
}
function useNow(running) {
  const [now, setNow] = d2(() => Date.now());
  A2(() => running ? listen(() => setNow(Date.now())) : void 0, [running]);
  return now;
}
function useElapsed(running, since) {
  const [start2] = d2(() => since ?? Date.now());
  return Math.max(0, useNow(running) - start2);
}

// app/parts/step.tsx
var choices = /* @__PURE__ */ new Map();
var KEPT = 500;
function remember(id2, open3) {
  choices.delete(id2);
  choices.set(id2, open3);
  for (const oldest of choices.keys()) {
    if (choices.size <= KEPT) break;
    choices.delete(oldest);
  }
}
function Step({ id: id2, mark, state, summary, aside, open: open3 = false, body }) {
  const [choice, setChoice] = d2(choices.get(id2));
  const shown = choice ?? open3;
  const choose = (value) => {
    remember(id2, value);
    setChoice(value);
  };
  const line = /* @__PURE__ */ a4($, { children: [
    summary,
    /* @__PURE__ */ a4("span", { class: "visually-hidden", children: state }),
    aside !== void 0 && /* @__PURE__ */ a4("span", { class: "x", children: aside })
  ] });
  if (!body) return /* @__PURE__ */ a4("div", { class: `step ${mark}`, "data-step": id2, children: /* @__PURE__ */ a4("div", { class: "line", children: line }) });
  const keep = () => {
    if (choice === void 0 && shown) choose(true);
  };
  return /* @__PURE__ */ a4("details", { class: `step ${mark}`, "data-step": id2, open: shown, onToggle: (e4) => {
    if (e4.currentTarget.open !== shown) choose(e4.currentTarget.open);
  }, children: [
    /* @__PURE__ */ a4("summary", { onClick: (e4) => {
      e4.preventDefault();
      choose(!shown);
    }, children: line }),
    shown && /* @__PURE__ */ a4("div", { class: "step-body", onWheel: keep, onTouchMove: keep, onPointerUp: () => {
      if (!getSelection()?.isCollapsed) keep();
    }, children: body() })
  ] });
}

// app/parts/retry-line.tsx
function RetryLine({ part, id: id2, last: last2, endedAt }) {
  const wait = part.data;
  const now = useNow(endedAt === void 0 && last2);
  const left = endedAt === void 0 && last2 ? Math.min(wait.delay_ms, wait.until_at - now) : 0;
  const attempt = t2.notice.attempt(wait.attempt, wait.max_attempts);
  const cut = endedAt !== void 0 && endedAt < wait.until_at;
  const words = left > 0 ? t2.notice.askingAgain(secondsOf(left), attempt) : cut ? t2.notice.notAsked(attempt) : t2.notice.askedAgain(attempt);
  return /* @__PURE__ */ a4(
    Step,
    {
      id: id2,
      mark: last2 && endedAt === void 0 ? "live" : "off",
      state: "",
      summary: left > 0 ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("span", { class: "notice-reason", dir: "auto", children: part.text }),
        /* @__PURE__ */ a4("span", { class: "tabular fixed", children: words })
      ] }) : /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("span", { class: "fixed", children: words }),
        /* @__PURE__ */ a4("span", { class: "gist", dir: "auto", children: part.text })
      ] }),
      body: () => /* @__PURE__ */ a4("p", { class: "notice-body", dir: "auto", children: [
        part.text,
        " ",
        /* @__PURE__ */ a4("code", { children: wait.code })
      ] })
    }
  );
}
var secondsOf = (ms) => duration(Math.ceil(ms / 1e3) * 1e3);
function retryWords(part) {
  const wait = part.data;
  return `${part.text} ${t2.notice.askingAgain(secondsOf(wait.delay_ms), t2.notice.attempt(wait.attempt, wait.max_attempts))}`;
}

// app/parts/notice.tsx
function Notice({ part, id: id2, last: last2, endedAt }) {
  if (part.code === "retry_wait" && part.data !== void 0) return /* @__PURE__ */ a4(RetryLine, { part, id: id2, last: last2, endedAt });
  const steps = stepsOf(part);
  const governed = part.code === "context_governed";
  const text3 = part.code === "model_switched" && part.data !== void 0 ? switchWords(part) : governed ? governedText(part) : part.text || part.code;
  return /* @__PURE__ */ a4(
    Step,
    {
      id: id2,
      mark: "off",
      state: "",
      summary: /* @__PURE__ */ a4("span", { class: "notice-text", dir: "auto", children: text3 }),
      ...governed && steps.length > 0 && { body: () => /* @__PURE__ */ a4(GovernedSteps, { steps }) }
    }
  );
}
function switchWords(part) {
  const { from, to, code: code2 } = part.data;
  return t2.notice.switched(from, to, part.text || code2);
}
var stepsOf = (part) => {
  const { steps } = part.data ?? {};
  return Array.isArray(steps) ? steps : [];
};
function tokensOf(part) {
  const steps = stepsOf(part);
  const first = steps[0], last2 = steps.at(-1);
  return first && last2 ? [count(first.before_tokens), count(last2.after_tokens)] : null;
}
function governedText(part) {
  const tokens = tokensOf(part);
  return tokens ? t2.notice.governed(...tokens) : part.text || t2.notice.governedPlain;
}
function Shortened({ row, id: id2 }) {
  const tokens = tokensOf(row.notices.at(-1));
  return /* @__PURE__ */ a4(
    Step,
    {
      id: `${id2}/shortened`,
      mark: "off",
      state: "",
      summary: /* @__PURE__ */ a4("span", { class: "notice-text", dir: "auto", children: tokens ? t2.notice.shortened(row.times, ...tokens) : t2.notice.shortenedPlain(row.times) }),
      body: () => /* @__PURE__ */ a4("ol", { class: "plain-list", start: 2, children: row.notices.map((part) => /* @__PURE__ */ a4("li", { class: "tabular", children: [
        tokensOf(part)?.join(" → ") ?? governedText(part),
        " ",
        /* @__PURE__ */ a4("span", { class: "quiet", children: stepsOf(part).map((s4) => s4.name).join(", ") })
      ] }, part.stream_id)) })
    }
  );
}
function GovernedSteps({ steps }) {
  return /* @__PURE__ */ a4("ul", { class: "plain-list", children: steps.map((s4, i4) => /* @__PURE__ */ a4("li", { children: [
    s4.name,
    ": ",
    count(s4.before_tokens),
    " → ",
    count(s4.after_tokens),
    " ",
    s4.detail
  ] }, i4)) });
}
function UnknownPart({ id: id2, kind }) {
  return /* @__PURE__ */ a4(Step, { id: id2, mark: "off", state: "", summary: /* @__PURE__ */ a4("span", { class: "notice-text", children: t2.notice.other(kind) }) });
}

// app/state/announce.ts
var announcement = y3("");
var alarm = y3("");
var GAP_MS = 2e3;
var last = 0;
var waiting;
function announce(text3) {
  clearTimeout(waiting);
  const wait = Math.max(0, last + GAP_MS - Date.now());
  waiting = setTimeout(() => {
    last = Date.now();
    announcement.value = text3;
  }, wait);
}

// app/state/actions.ts
var editing = y3(null);
var handover = y3(null);
var newPreset = y3(null);
var newAccess = y3(null);
function send2(content, mode) {
  const chat_id = open.peek()?.id ?? null;
  const client_message_id = crypto.randomUUID();
  const edited = editing.peek();
  editing.value = null;
  markSent(chat_id ?? NEW, content, client_message_id);
  const preset = chat_id === null ? newPreset.peek() : gonePreset.peek() && presetOf(null)?.name;
  outbox.add({
    client_message_id,
    chat_id,
    content,
    mode,
    created_at: Date.now(),
    ...edited && { parent_message_id: edited.parent_id },
    ...preset && { preset },
    ...chat_id === null && newAccess.peek() && { access: newAccess.peek() }
  });
  newAccess.value = null;
}
function editUnsent(entry) {
  outbox.remove(entry.client_message_id);
  handover.value = { text: entry.content };
}
var waitingText = (chat) => draftOf(chat, (id2) => outbox.entries.some((e4) => e4.client_message_id === id2));
function stop() {
  const session = open.peek();
  if (session) socket.send({ type: "stop", chat_id: session.id });
}
function retry(turn) {
  const session = open.peek();
  const instead = gonePreset.peek() ? presetOf(null)?.name : void 0;
  if (instead !== void 0) {
    void choosePreset(instead).then((chosen) => {
      if (chosen) retry(turn);
    });
    return;
  }
  if (session && !socket.send({ type: "retry", chat_id: session.id, turn_id: turn.id })) socket.nudge();
}
async function fork(turn) {
  const session = open.peek();
  if (!session || turn.answer_id === void 0) return;
  await guarded(async () => {
    const seq = await seqOf(session.id, turn.answer_id);
    if (seq === void 0) return;
    const made = await api.fork(session.id, seq);
    refreshSessions();
    go(sessionPath(made.id));
  });
}
async function seqOf(session, messageId) {
  let before;
  for (; ; ) {
    const { items } = await api.messages(session, before);
    const row = items.find((m5) => m5.id === messageId);
    if (row) return row.seq;
    const first = items[0]?.seq;
    if (first === void 0 || first === before) return void 0;
    before = first;
  }
}
async function chooseBranch(messageId) {
  const session = open.peek();
  if (!session) return;
  await guarded(async () => {
    await api.patchSession(session.id, { active_message_id: messageId });
    await session.feed.read();
  });
}
async function choosePreset(name) {
  const session = open.peek();
  if (!session) {
    newPreset.value = name;
    return true;
  }
  return guarded(async () => {
    session.adoptMeta(await api.patchSession(session.id, { preset: name }));
  });
}
async function chooseAccess(access) {
  const session = open.peek();
  if (!session) {
    newAccess.value = access;
    return true;
  }
  return guarded(async () => {
    session.adoptMeta(await api.patchSession(session.id, { access }));
  });
}
var gonePreset = O2(() => {
  void open.value?.meta.value;
  const name = open.value ? open.value.view.preset : newPreset.value;
  return name !== null && presets.value.length > 0 && !presets.value.some((p5) => p5.name === name) ? name : null;
});
var presetOf = (name) => presets.value.find((p5) => p5.name === name) ?? presets.value.find((p5) => p5.is_default);
async function rename(id2, title) {
  await guarded(async () => {
    await api.patchSession(id2, { title });
    await readSessions();
  });
}
async function pin(id2, pinned) {
  await guarded(async () => {
    await api.patchSession(id2, { pinned });
    await readSessions();
  });
}
var deleted = y3(null);
var UNDO_MS = 8e3;
var undoTimer;
async function remove(id2, title) {
  await guarded(async () => {
    removed.add(id2);
    await api.deleteSession(id2).catch((e4) => {
      removed.delete(id2);
      throw e4;
    });
    sessions.value = sessions.peek()?.filter((s4) => s4.id !== id2) ?? null;
    const r4 = route.peek();
    if (r4.page === "session" && r4.id === id2) go("/", "replace");
    deleted.value = { id: id2, title };
    clearTimeout(undoTimer);
    undoTimer = setTimeout(() => {
      deleted.value = null;
    }, UNDO_MS);
    await readSessions();
  });
}
async function undoRemove() {
  const gone = deleted.peek();
  deleted.value = null;
  if (gone) await guarded(async () => {
    await api.restoreSession(gone.id);
    removed.delete(gone.id);
    await readSessions();
    go(sessionPath(gone.id));
  });
}
async function guarded(action) {
  try {
    await action();
    return true;
  } catch (error2) {
    banner.value = describe(error2).detail;
    return false;
  }
}

// node_modules/preact/compat/dist/compat.mjs
var w5 = Object.assign;
function R2(n3, t5) {
  for (var e4 in n3) if ("__source" != e4 && n3[e4] !== t5[e4]) return true;
  for (var r4 in t5) if ("__source" != r4 && !(r4 in n3)) return true;
  return false;
}
var x4 = /^(-|f[lo].*[^se]$|g.{5,}[^ps]$|z|o[pr]|(W.{5})?[lL]i.*(t|mp)$|an|(bo|s).{4}Im|sca|m.{6}[ds]|ta|c.*[st]$|wido|ini|asp|fill|st)/;
function A4(n3, t5) {
  function r4(n4) {
    var e4 = this.props.ref;
    return e4 != n4.ref && e4 && ("function" == typeof e4 ? e4(null) : e4.current = null), t5 ? !t5(this.props, n4) || e4 != n4.ref : R2(this.props, n4);
  }
  function u4(t6) {
    return this.shouldComponentUpdate = r4, k(n3, t6);
  }
  return u4.displayName = "Memo(" + (n3.displayName || n3.name) + ")", u4.prototype.isReactComponent = true, u4.type = n3, u4;
}
var P3 = /* @__PURE__ */ Symbol.for("react.element");
var $2 = /^(?:accent|alignment|arabic|baseline|cap|clip(?!PathU)|color|dominant|fill|flood|font|glyph(?!R)|horiz|image(?!S)|letter|lighting|marker(?!H|W|U)|overline|paint|pointer|shape|stop|strikethrough|stroke|text(?!L)|transform|underline|unicode|units|v|vector|vert|word|writing|x(?!C))[A-Z]/;
var z3 = /[A-Z0-9]/g;
var H2 = typeof document < "u";
var Y = function(n3) {
  return /fil|che|rad/.test(n3);
};
x.prototype.isReactComponent = true, ["componentWillMount", "componentWillReceiveProps", "componentWillUpdate"].forEach(function(n3) {
  Object.defineProperty(x.prototype, n3, { configurable: true, get: function() {
    return this["UNSAFE_" + n3];
  }, set: function(t5) {
    Object.defineProperty(this, n3, { configurable: true, writable: true, value: t5 });
  } });
});
var J2 = n.event;
n.event = function(n3) {
  return J2 && (n3 = J2(n3)), n3.persist = function() {
  }, n3.isPropagationStopped = function() {
    return this.cancelBubble;
  }, n3.isDefaultPrevented = function() {
    return this.defaultPrevented;
  }, n3.nativeEvent = n3;
};
var K2 = { configurable: true, get: function() {
  return this.class;
} };
var Q2 = n.vnode;
n.vnode = function(t5) {
  if ("string" == typeof t5.type) !(function(t6) {
    var e5 = t6.props, r5 = t6.type, u4 = {}, i4 = -1 == r5.indexOf("-");
    for (var o5 in e5) {
      var f5 = e5[o5];
      if (!("value" == o5 && "defaultValue" in e5 && null == f5 || H2 && "children" == o5 && "noscript" == r5 || "class" == o5 || "className" == o5)) {
        if ("style" == o5 && f5 && f5.constructor == Object) {
          var l4 = void 0;
          for (var a5 in f5) "number" != typeof f5[a5] || x4.test(a5) || (l4 || (l4 = f5 = w5({}, f5)), f5[a5] += "px");
        } else if ("defaultValue" == o5 && "value" in e5 && null == e5.value) o5 = "value";
        else if ("download" == o5 && true === f5) f5 = "";
        else if ("translate" == o5 && "no" === f5) f5 = false;
        else if ("o" == o5[0] && "n" == o5[1]) {
          var c4 = o5.toLowerCase();
          "ondoubleclick" == c4 ? o5 = "ondblclick" : "onchange" != c4 || "input" != r5 && "textarea" != r5 || Y(e5.type) ? "onfocus" == c4 ? o5 = "onfocusin" : "onblur" == c4 && (o5 = "onfocusout") : c4 = o5 = "oninput", "oninput" == c4 && u4[o5 = c4] && (o5 = "oninputCapture");
        } else i4 && $2.test(o5) ? o5 = o5.replace(z3, "-$&").toLowerCase() : null === f5 && (f5 = void 0);
        u4[o5] = f5;
      }
    }
    if ("select" == r5) {
      var s4 = null != u4.defaultValue ? u4.defaultValue : u4.multiple && Array.isArray(u4.value) ? u4.value : null;
      null != s4 && (u4.value = O(e5.children).forEach(function(n3) {
        n3.props.selected = u4.multiple ? -1 != s4.indexOf(n3.props.value) : s4 == n3.props.value;
      }));
    }
    e5.class && !e5.className ? (u4.class = e5.class, Object.defineProperty(u4, "className", K2)) : e5.className && (u4.class = u4.className = e5.className), t6.props = u4;
  })(t5);
  else if ("function" == typeof t5.type && ("ref" in t5.props && "prototype" in t5.type && t5.type.prototype.render && (t5.ref = t5.props.ref, delete t5.props.ref), t5.type.defaultProps)) {
    var e4 = w5({}, t5.props);
    for (var r4 in t5.type.defaultProps) void 0 === e4[r4] && (e4[r4] = t5.type.defaultProps[r4]);
    t5.props = e4;
  }
  t5.ref && !("ref" in t5.props) && Object.defineProperty(t5.props, "ref", { value: t5.ref, configurable: true, writable: true }), t5.$$typeof = P3, Q2 && Q2(t5);
};
var en2 = /* @__PURE__ */ Symbol.for("pv");
function rn(n3, t5, e4) {
  if (n3) {
    var r4 = n3.__c && n3.__c.__H;
    r4 && (r4.__.forEach(function(n4) {
      null != n4.__P && ("function" == typeof n4.__c && n4.__c(), n4.__c = n4.__H = void 0);
    }), r4.__h = n3.__c.__h = []), "string" == typeof n3.type && (n3.__u |= 8), null != (n3 = w5({ constructor: en2 }, n3)).__c && (n3.__c.__P == e4 && (n3.__c.__P = t5), n3.__c.__g |= 4, n3.__c = n3.ref = null), n3.__k = n3.__k && n3.__k.map(function(n4) {
      return rn(n4, t5, e4);
    });
  }
  return n3;
}
function un(n3, t5, e4) {
  return n3 && e4 && (n3.__v = null, n3.__k = n3.__k && n3.__k.map(function(n4) {
    return un(n4, t5, e4);
  }), n3.__c && n3.__c.__P == t5 && (n3.__e && e4.appendChild(n3.__e), n3.__c.__g |= 4, n3.__c.__P = e4)), n3;
}
function on() {
  function n3() {
    this.__u = 0, this.i = null, this.__b = null;
  }
  return (function() {
    var n4 = n.__e;
    n.__e = function(t6, e4, r4, u4) {
      if (t6 && t6.then) {
        for (var i4, o5 = e4; o5 = o5.__; ) if ((i4 = o5.__c) && i4.__c) return r4 && !r4.__c && (e4.__c.__H = void 0), i4.__c(t6, e4);
      }
      n4(t6, e4, r4, u4);
    };
    var t5 = n.unmount;
    n.unmount = function(n5) {
      var e4 = n5.__c;
      e4 && e4.__R && e4.__R(), t5 && t5(n5);
    };
  })(), (n3.prototype = new x()).__c = function(n4, t5) {
    var e4 = this, r4 = t5.__c;
    null == this.i && (this.i = []), this.i.push(r4);
    var u4 = false, i4 = function() {
      !u4 && e4.__P && (u4 = true, r4.__R = null, f5());
    };
    r4.__R = i4;
    var o5 = r4.__P;
    r4.__P = null;
    var f5 = function() {
      if (!--e4.__u) {
        if (e4.state.__a) {
          var n5 = e4.state.__a;
          e4.__v.__k[0] = un(n5, n5.__c.__P, n5.__c.__O);
        }
        var t6;
        for (e4.setState({ __a: e4.__b = null }); t6 = e4.i.pop(); ) t6.__P = o5, t6.forceUpdate();
      }
    };
    this.__u++ || 32 & t5.__u || this.setState({ __a: this.__b = this.__v.__k[0] }), n4.then(i4, i4);
  }, n3.prototype.componentWillUnmount = function() {
    this.i = [], this.state.__a && (this.__v.__k[0] = this.state.__a);
  }, n3.prototype.render = function(n4, t5) {
    if (this.__b) {
      if (this.__v.__k) {
        var r4 = document.createElement("div"), u4 = this.__v.__k[0].__c;
        this.__v.__k[0] = rn(this.__b, r4, u4.__O = u4.__P);
      }
      this.__b = null;
    }
    return [k($, null, t5.__a ? null : n4.children), t5.__a && k($, null, n4.fallback)];
  }, n3;
}
var fn = /* @__PURE__ */ on();
function ln(n3) {
  var t5, r4, u4, i4 = null;
  function o5(o6) {
    if (t5 || (t5 = n3()).then(function(n4) {
      n4 && (i4 = n4.default || n4), u4 = true;
    }, function(n4) {
      r4 = n4, u4 = true;
    }), r4) throw r4;
    if (!u4) throw t5;
    return i4 ? k(i4, o6) : null;
  }
  return o5.displayName = "Lazy", o5;
}

// app/parts/icon.tsx
function Icon({ name }) {
  return /* @__PURE__ */ a4("svg", { class: `icon icon-${name}`, "aria-hidden": "true", children: /* @__PURE__ */ a4("use", { href: `/static/icons.svg#${name}` }) });
}

// app/parts/dialog.tsx
function Dialog({ title, onClose, children, class: cls = "" }) {
  const node = T2(null);
  A2(() => {
    const opener = document.activeElement;
    node.current?.showModal();
    node.current?.querySelector("[data-first]")?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return /* @__PURE__ */ a4("dialog", { ref: node, class: cls, "aria-label": title, onClose, onClick: (e4) => {
    if (e4.target === node.current) node.current?.close();
  }, children: /* @__PURE__ */ a4("div", { class: "dialog-box", children: [
    /* @__PURE__ */ a4("div", { class: "dialog-head", children: [
      /* @__PURE__ */ a4("h2", { children: title }),
      /* @__PURE__ */ a4("button", { type: "button", class: "icon-button", "aria-label": t2.close, onClick: () => node.current?.close(), children: /* @__PURE__ */ a4(Icon, { name: "close" }) })
    ] }),
    children
  ] }) });
}

// app/keys/map.ts
function actionOf(e4, where) {
  if (composing(e4)) return null;
  const command = (e4.ctrlKey || e4.metaKey) && !e4.altKey;
  if (command && !e4.shiftKey) {
    switch (e4.key.toLowerCase()) {
      case "k":
        return "search";
      case "b":
        return "toggle_sidebar";
      case ".":
        return "stop";
      default:
        return null;
    }
  }
  if (e4.altKey && !e4.ctrlKey && !e4.metaKey && !e4.shiftKey) {
    switch (e4.code) {
      case "KeyN":
        return "new_session";
      case "ArrowUp":
        return "previous_request";
      case "ArrowDown":
        return "next_request";
      case "Enter":
      case "NumpadEnter":
        return "allow_once";
      case "Backspace":
        return where.inText ? null : "deny";
      default:
        return null;
    }
  }
  if (e4.ctrlKey || e4.metaKey || e4.altKey) return null;
  if (e4.key === "Escape") return "escape";
  if (e4.key === "F6") return e4.shiftKey ? "previous_region" : "next_region";
  if (e4.key === "End" && where.inThread && !where.inField) return "newest";
  if (e4.key === "?" && !where.inField) return "help";
  return null;
}
var composing = (e4) => e4.isComposing || e4.keyCode === 229;
function composerAction(e4, sendKey2, empty, busy) {
  if (composing(e4)) return null;
  if (e4.key === "ArrowUp" && empty && !e4.ctrlKey && !e4.metaKey && !e4.altKey && !e4.shiftKey) return "edit_last";
  if (e4.key !== "Enter" || e4.altKey) return null;
  const command = e4.ctrlKey || e4.metaKey;
  if (e4.shiftKey && !command) return "newline";
  if (sendKey2 === "enter") return command && busy ? "steer" : "send";
  if (!command) return "newline";
  return e4.shiftKey && busy ? "steer" : "send";
}

// app/views/model-picker.tsx
var modelPicker = y3(null);
function ModelPicker() {
  const now = modelPicker.value;
  if (!now) return null;
  const close2 = () => {
    modelPicker.value = null;
  };
  const current = presetOf(open.value ? open.value.view.preset : newPreset.value)?.name;
  const choose = async (name) => {
    close2();
    if (await choosePreset(name)) now.onChosen?.();
  };
  return /* @__PURE__ */ a4(Dialog, { title: t2.picker.title, onClose: close2, children: [
    presets.value.length === 0 && /* @__PURE__ */ a4("p", { children: t2.settings.noPresets }),
    /* @__PURE__ */ a4("ul", { class: "choices", children: presets.value.map((p5) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("button", { type: "button", class: "choice", "aria-pressed": p5.name === current, ...p5.name === current && { "data-first": true }, onClick: () => void choose(p5.name), children: [
      /* @__PURE__ */ a4("b", { children: p5.model }),
      /* @__PURE__ */ a4("span", { class: "quiet", children: [
        p5.name,
        " · ",
        p5.provider,
        " · ",
        t2.settings.window(count(p5.context_window_tokens), p5.context_window_assumed)
      ] })
    ] }) }, p5.name)) }),
    /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: "/settings/models", onClick: close2, children: t2.picker.manage }) })
  ] });
}

// app/parts/boundary.tsx
var Boundary = class extends x {
  state = {};
  static getDerivedStateFromError(error2) {
    return { error: error2 };
  }
  componentDidCatch(error2) {
    console.error(error2);
  }
  render() {
    const { error: error2 } = this.state;
    if (!error2) return this.props.children;
    return /* @__PURE__ */ a4("div", { class: "note err", role: "alert", children: [
      /* @__PURE__ */ a4("p", { children: t2.boundary }),
      this.props.raw && /* @__PURE__ */ a4("pre", { tabIndex: 0, children: this.props.raw }),
      /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => location.reload(), children: t2.reload })
    ] });
  }
};

// app/model/preset-form.ts
var PRESET_FIELDS = ["name", "provider", "model", "context_window_tokens", "max_tokens", "temperature", "reasoning_effort", "price.input", "price.cached", "price.output"];
var MAX_NAME_CHARS = 64;
var text = (n3) => n3 === void 0 ? "" : String(n3);
function formOf(name, p5) {
  return {
    name,
    provider: p5.provider,
    model: p5.model,
    context_window_tokens: text(p5.context_window_tokens),
    max_tokens: text(p5.max_tokens),
    temperature: text(p5.temperature),
    reasoning_effort: p5.reasoning_effort ?? "",
    "price.input": text(p5.price?.input),
    "price.cached": text(p5.price?.cached),
    "price.output": text(p5.price?.output),
    fallbacks: [...p5.fallbacks ?? []]
  };
}
function numberOf(typed2) {
  const plain2 = typed2.trim().replace(/(?<=\d)[\s,_](?=\d{3}(\D|$))/g, "");
  const big = /^(\d+(?:\.\d+)?)\s*([km])$/i.exec(plain2);
  if (big) return Math.round(Number(big[1]) * (big[2].toLowerCase() === "k" ? 1e3 : 1e6));
  return /^\d*\.?\d+$|^\d+\.$/.test(plain2) ? Number(plain2) : NaN;
}
function check(form, names, oldName) {
  const out = {};
  const given = (field2) => form[field2].trim() !== "";
  const name = form.name.trim();
  if (name === "") out.name = "required";
  else if ([...name].length > MAX_NAME_CHARS) out.name = "long";
  else if (name !== oldName && names.includes(name)) out.name = "taken";
  if (!given("provider")) out.provider = "required";
  if (!given("model")) out.model = "required";
  for (const field2 of ["context_window_tokens", "max_tokens"]) {
    const n3 = numberOf(form[field2]);
    if (given(field2) && !(Number.isInteger(n3) && n3 >= 1)) out[field2] = "whole";
  }
  if (given("temperature") && !(numberOf(form.temperature) >= 0 && numberOf(form.temperature) <= 2)) out.temperature = "zero_to_two";
  const prices = ["price.input", "price.cached", "price.output"];
  for (const field2 of prices) if (given(field2) && !(numberOf(form[field2]) >= 0)) out[field2] = "zero_or_more";
  if (prices.some(given)) {
    for (const field2 of ["price.input", "price.output"]) if (!given(field2)) out[field2] = "both_prices";
  }
  return out;
}
function settingsOf(form) {
  const n3 = (field2) => form[field2].trim() === "" ? void 0 : numberOf(form[field2]);
  const window2 = n3("context_window_tokens"), max = n3("max_tokens"), temperature = n3("temperature"), cached = n3("price.cached"), input = n3("price.input"), output = n3("price.output");
  const effort = form.reasoning_effort.trim();
  return {
    provider: form.provider,
    model: form.model.trim(),
    ...window2 !== void 0 && { context_window_tokens: window2 },
    ...max !== void 0 && { max_tokens: max },
    ...temperature !== void 0 && { temperature },
    ...effort !== "" && { reasoning_effort: effort },
    ...input !== void 0 && output !== void 0 && { price: { input, ...cached !== void 0 && { cached }, output } },
    fallbacks: form.fallbacks
  };
}
function renamePatch(presets2, from, to, after, isDefault) {
  const others = Object.entries(presets2).filter(([name, p5]) => name !== from && p5.fallbacks?.includes(from));
  return {
    presets: {
      [from]: null,
      [to]: after,
      ...Object.fromEntries(others.map(([name, p5]) => [name, { fallbacks: p5.fallbacks.map((f5) => f5 === from ? to : f5) }]))
    },
    ...isDefault && { agent: { preset: to } }
  };
}
function removePatch(presets2, name, isDefault) {
  const others = Object.entries(presets2).filter(([other, p5]) => other !== name && p5.fallbacks?.includes(name));
  return {
    presets: { [name]: null, ...Object.fromEntries(others.map(([other, p5]) => [other, { fallbacks: p5.fallbacks.filter((f5) => f5 !== name) }])) },
    ...isDefault && { agent: { preset: null } }
  };
}
function freeName(model, taken) {
  if (!taken.has("default")) return "default";
  const base2 = model.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "model";
  for (let n3 = 1; ; n3++) {
    const name = n3 === 1 ? base2 : `${base2}-${n3}`;
    if (!taken.has(name)) return name;
  }
}
function fieldOf(path, section, name) {
  for (const key2 of [name, JSON.stringify(name)]) {
    const start2 = `${section}.${key2}`;
    if (path === start2) return "";
    if (path.startsWith(`${start2}.`)) return path.slice(start2.length + 1).replace(/\[\d+\]$/, "");
  }
  return null;
}
var moved = (list2, at2, step) => {
  const out = [...list2];
  const [item] = out.splice(at2, 1);
  if (item !== void 0) out.splice(at2 + step, 0, item);
  return out;
};

// app/state/approvals.ts
var answers = y3(/* @__PURE__ */ new Map());
var NOTHING = { note: null, arguments: null, more: null };
var drafts = y3(/* @__PURE__ */ new Map());
function change(id2, fields) {
  drafts.value = new Map(drafts.peek()).set(id2, { ...NOTHING, ...drafts.peek().get(id2), ...fields });
}
var SILENT_MS = 5e3;
var asked2 = /* @__PURE__ */ new Map();
function note(id2, answer2) {
  if (answer2.state === "sending") quietUntil = performance.now() + HANDOVER_MS;
  answers.value = new Map(answers.peek()).set(id2, answer2);
  rearm();
}
async function answer(id2, body) {
  const mine = new AbortController();
  asked2.get(id2)?.abort();
  asked2.set(id2, mine);
  const now = (state, detail = "", path = "") => {
    if (asked2.get(id2) === mine) note(id2, { decision: body.decision, state, detail, path });
  };
  now("sending");
  const patience = setTimeout(() => now("silent"), SILENT_MS);
  const session = open.peek();
  try {
    const approval = await api.approve(id2, body, mine.signal);
    now("taken");
    if (approval) session?.adoptApproval(approval);
  } catch (error2) {
    if (mine.signal.aborted) return;
    const { detail, offline, code: code2 } = describe(error2);
    const closed2 = error2 instanceof ApiError && (error2.status === 409 || error2.status === 404);
    if (closed2) {
      announce(t2.approval.late(detail || code2));
      now("late", detail || code2);
      void session?.feed.read();
    } else now("failed", offline ? t2.approval.offline : detail || code2, error2 instanceof ApiError ? error2.path : "");
  } finally {
    clearTimeout(patience);
  }
}
var inView = /* @__PURE__ */ new Map();
var armed = y3(null);
var HANDOVER_MS = 500;
var quietUntil = 0;
var handover2;
var anyInView = y3(false);
function rearm() {
  clearTimeout(handover2);
  const waiting3 = [...inView].filter(([id2]) => {
    const state = answers.peek().get(id2)?.state;
    return state !== "sending" && state !== "taken";
  });
  waiting3.sort(([, a5], [, b5]) => a5.node.compareDocumentPosition(b5.node) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
  const rest = quietUntil - performance.now();
  anyInView.value = inView.size > 0;
  armed.value = rest > 0 ? null : waiting3[0]?.[0] ?? null;
  if (rest > 0) handover2 = setTimeout(rearm, rest);
}
function arm(id2, shown) {
  inView.set(id2, shown);
  rearm();
}
function disarm(id2) {
  if (inView.delete(id2)) rearm();
}
function decideByKey(decision) {
  const shown = armed.peek() === null ? void 0 : inView.get(armed.peek());
  shown?.decide(decision);
  return shown !== void 0;
}

// app/parts/field.tsx
function TextField({ label, value, onText, problem, note: note2, warning, beside, words, type = "text", ...input }) {
  const id2 = P2();
  const described = [problem && `${id2}-problem`, (warning || note2) && `${id2}-note`].filter(Boolean).join(" ");
  return /* @__PURE__ */ a4("div", { class: "field", children: [
    /* @__PURE__ */ a4("label", { for: id2, children: label }),
    /* @__PURE__ */ a4("div", { class: "field-line", children: [
      /* @__PURE__ */ a4(
        "input",
        {
          id: id2,
          value,
          autocomplete: "off",
          spellcheck: false,
          ...{ ...input, type, list: words && `${id2}-words` },
          "aria-invalid": problem ? true : void 0,
          "aria-describedby": described || void 0,
          onInput: (e4) => onText(e4.currentTarget.value)
        }
      ),
      beside
    ] }),
    words && /* @__PURE__ */ a4("datalist", { id: `${id2}-words`, children: words.map((w6) => /* @__PURE__ */ a4("option", { value: w6.value, label: w6.label }, w6.value)) }),
    /* @__PURE__ */ a4(FieldWords, { id: id2, problem, note: warning ?? note2, warn: warning !== void 0 })
  ] });
}
function FieldWords({ id: id2, problem, note: note2, warn = false }) {
  return /* @__PURE__ */ a4($, { children: [
    problem && /* @__PURE__ */ a4("span", { class: "problem", id: `${id2}-problem`, role: "alert", children: problem }),
    note2 && /* @__PURE__ */ a4("span", { class: warn ? "field-note warn" : "field-note", id: `${id2}-note`, children: note2 })
  ] });
}
function SelectField({ label, value, options, onChoose, problem, note: note2 }) {
  const id2 = P2();
  return /* @__PURE__ */ a4("div", { class: "field", children: [
    /* @__PURE__ */ a4("label", { for: id2, children: label }),
    /* @__PURE__ */ a4("select", { id: id2, value, "aria-invalid": problem ? true : void 0, "aria-describedby": problem ? `${id2}-problem` : note2 ? `${id2}-note` : void 0, onChange: (e4) => onChoose(e4.currentTarget.value), children: options.map(([v4, words]) => /* @__PURE__ */ a4("option", { value: v4, children: words }, v4)) }),
    /* @__PURE__ */ a4(FieldWords, { id: id2, problem, note: note2 })
  ] });
}
function focusProblem(form) {
  requestAnimationFrame(() => form?.querySelector('[aria-invalid="true"]')?.focus());
}

// app/markdown/dom.ts
var SAFE_URL = /^(https?:|mailto:|#|\/(?![/\\]))/i;
var OWN_MEDIA = /^\/(api\/v1\/)?media\/[\w.-]+$/;
function el(tag, attrs = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
var attr = (token, name) => String(token.attrGet(name) ?? "");
var langOf = (fence2) => fence2.info.trim().split(/\s+/)[0] ?? "";
var math = (tag, cls, tex) => el(tag, { class: cls, "data-tex": tex }, tex);
function leaf(token, hooks) {
  switch (token.type) {
    case "text":
    case "html_inline":
      return document.createTextNode(token.content);
    case "softbreak":
      return document.createTextNode("\n");
    case "hardbreak":
      return el("br");
    case "hr":
      return el("hr");
    case "code_inline":
      return el("code", {}, token.content);
    case "html_block":
      return el("p", {}, token.content);
    case "fence":
      return hooks.code(langOf(token), token.content, false);
    case "code_block":
      return hooks.code("", token.content, false);
    case "math_inline":
      return math("span", "math", token.content);
    case "math_block":
      return math("div", "math block", token.content);
    case "task":
      return el("input", { type: "checkbox", disabled: "", ...token.content === "x" && { checked: "" }, "aria-label": token.content === "x" ? "☑" : "☐" });
    case "image":
      return image(token);
    default:
      return void 0;
  }
}
function render(tokens, parent, hooks) {
  const stack = [parent];
  for (const token of tokens) {
    const top = stack[stack.length - 1];
    if (token.type === "inline") {
      render(token.children ?? [], top, hooks);
      continue;
    }
    const node = leaf(token, hooks);
    if (node) {
      top.appendChild(node);
      if (token.type === "task") top.parentElement?.classList.add("task");
    } else if (token.nesting === 1) stack.push(open2(token, top, hooks));
    else if (token.nesting === -1 && stack.length > 1) stack.pop();
  }
}
function tagOf(token) {
  const level = /^h([1-6])$/.exec(token.tag)?.[1];
  return level ? `h${Math.min(6, Number(level) + 2)}` : token.tag;
}
function open2(token, top, hooks) {
  const node = el(tagOf(token));
  if (token.type === "link_open") link(node, attr(token, "href"));
  const align = /text-align:(\w+)/.exec(attr(token, "style"))?.[1];
  if (align) node.classList.add(`align-${align}`);
  const start2 = token.tag === "ol" ? attr(token, "start") : "";
  if (start2) node.setAttribute("start", start2);
  top.appendChild(token.type === "table_open" ? el("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": hooks.tableName }, node) : node);
  return node;
}
function link(a5, href) {
  if (!SAFE_URL.test(href)) return;
  a5.setAttribute("href", href);
  if (!/^https?:/i.test(href)) return;
  a5.setAttribute("target", "_blank");
  a5.setAttribute("rel", "noopener noreferrer nofollow");
  const host = hostOf2(href);
  if (host) a5.setAttribute("title", host);
}
function hostOf2(href) {
  try {
    return new URL(href).host;
  } catch {
    return "";
  }
}
function image(token) {
  const src = attr(token, "src");
  const alt = token.content || src;
  if (OWN_MEDIA.test(src)) return el("img", { src, alt, loading: "lazy" });
  const host = hostOf2(src);
  const a5 = el("a", { class: "image-link" }, host && host !== alt ? `${alt} (${host})` : alt);
  link(a5, src);
  return a5;
}
var ELEMENT = 1;
var TEXT = 3;
function morph(have, want) {
  let old = have.firstChild;
  for (let fresh = want.firstChild; fresh; ) {
    const next = fresh.nextSibling;
    if (!old) have.appendChild(fresh);
    else {
      const after = old.nextSibling;
      if (old.nodeType === TEXT && fresh.nodeType === TEXT) grow2(old, fresh.data);
      else if (old.nodeType === ELEMENT && fresh.nodeType === ELEMENT && alike(old, fresh)) morph(old, fresh);
      else have.replaceChild(fresh, old);
      old = after;
    }
    fresh = next;
  }
  while (old) {
    const after = old.nextSibling;
    old.remove();
    old = after;
  }
}
function patch(old, fresh) {
  if (alike(old, fresh)) {
    morph(old, fresh);
    return old;
  }
  old.replaceWith(fresh);
  return fresh;
}
function grow2(node, data) {
  if (node.data === data) return;
  if (data.startsWith(node.data)) node.appendData(data.slice(node.data.length));
  else node.data = data;
}
function alike(a5, b5) {
  return a5.nodeName === b5.nodeName && a5.attributes.length === b5.attributes.length && [...a5.attributes].every((at2) => b5.getAttribute(at2.name) === at2.value);
}

// app/parts/code-card.ts
function codeCard(lang, text3, open3) {
  const code2 = el("code", lang ? { "data-lang": lang } : {}, text3);
  const head = el("div", { class: "code-head" }, el("span", { class: "code-lang" }, lang || t2.code.plain));
  if (!open3) head.append(button("wrap", t2.code.wrap), button("copy", t2.code.copy));
  return el("div", { class: open3 ? "code-card open" : "code-card" }, head, el("pre", { tabindex: "0", role: "region", "aria-label": t2.code.label(lang) }, code2));
}
var button = (action, label) => el("button", { type: "button", "data-code": action }, label);
function settled(block2) {
  const codes = block2.querySelectorAll("code[data-lang]");
  if (codes.length === 0) return;
  whenIdle(() => {
    void import("./highlight.js").then(({ highlight }) => {
      for (const code2 of codes) if (code2.isConnected) highlight(code2, code2.getAttribute("data-lang") ?? "");
    });
  });
}
var whenIdle = (job) => {
  if ("requestIdleCallback" in window) requestIdleCallback(job, { timeout: 1e3 });
  else setTimeout(job, 50);
};
var markdownHooks = { code: codeCard, settled, get tableName() {
  return t2.code.table;
} };
function onCodeClick(e4) {
  const target = e4.target instanceof Element ? e4.target.closest("[data-code]") : null;
  const card = target?.closest(".code-card");
  if (!target || !card) return;
  if (target.dataset.code === "wrap") {
    card.classList.toggle("wrapped");
    return;
  }
  void copyText(card.querySelector("code")?.textContent ?? "").then((ok) => {
    if (ok) flash(target);
  });
}
function flash(button2) {
  button2.textContent = t2.copied;
  setTimeout(() => {
    button2.textContent = t2.code.copy;
  }, 1500);
}
async function copyText(text3) {
  try {
    await navigator.clipboard.writeText(text3);
    return true;
  } catch {
    return copyBySelection(text3);
  }
}
function copyBySelection(text3) {
  const field2 = el("textarea", { class: "visually-hidden" });
  const focused = document.activeElement;
  field2.value = text3;
  document.body.append(field2);
  field2.select();
  const ok = document.execCommand("copy");
  field2.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return ok;
}

// app/views/scroll.ts
var NEAR_END_PX = 48;
var HOLD_MS = 300;
var QUESTION_ROOM_PX = 48;
var UP_KEYS = /* @__PURE__ */ new Set(["ArrowUp", "PageUp", "Home"]);
var Follower = class {
  constructor(box, content, host) {
    this.box = box;
    this.content = content;
    this.host = host;
  }
  box;
  content;
  host;
  following = true;
  lastTop = 0;
  lastHeight = 0;
  touchY = 0;
  heldUntil = 0;
  start() {
    const { box } = this;
    const stop2 = new AbortController();
    const on2 = (name, listener) => box.addEventListener(name, listener, { passive: true, signal: stop2.signal });
    on2("wheel", (e4) => {
      if (e4.deltaY < 0) this.letGo();
    });
    on2("touchstart", (e4) => {
      this.touchY = e4.touches[0]?.clientY ?? 0;
    });
    on2("touchmove", (e4) => {
      if ((e4.touches[0]?.clientY ?? 0) > this.touchY) this.letGo();
    });
    on2("keydown", (e4) => {
      if (UP_KEYS.has(e4.key) && e4.target === box) this.letGo();
    });
    on2("pointerdown", (e4) => {
      if (e4.target === box && e4.offsetX >= box.clientWidth) this.letGo();
    });
    on2("scroll", () => this.scrolled());
    const sizes = new ResizeObserver(() => {
      this.settle();
      this.host.onGrow();
    });
    sizes.observe(this.content);
    sizes.observe(box);
    this.settle();
    return () => {
      stop2.abort();
      sizes.disconnect();
    };
  }
  toEnd() {
    this.set(true);
    this.box.scrollTop = this.box.scrollHeight;
    this.settle();
  }
  letGo() {
    if (this.box.scrollHeight > this.box.clientHeight) this.set(false);
  }
  scrolled() {
    const { box } = this;
    const up = box.scrollTop < this.lastTop - 1;
    const down = box.scrollTop > this.lastTop + 1;
    const shrank = box.scrollHeight < this.lastHeight;
    if (up && !shrank) this.set(this.atEnd());
    else if (down && this.atEnd()) this.set(true);
    this.note();
    this.host.onScroll();
  }
  /** The reader opens or closes something: what was clicked stays under the pointer. */
  hold() {
    this.heldUntil = performance.now() + HOLD_MS;
  }
  settle() {
    if (performance.now() < this.heldUntil) this.set(this.atEnd());
    else if (this.following) this.box.scrollTop = Math.max(this.box.scrollTop, Math.min(this.box.scrollHeight, this.firstOfSeveral()));
    this.note();
  }
  /** Where several questions wait, the first one stays in view: they are answered from the top. */
  firstOfSeveral() {
    const [first, second] = this.box.querySelectorAll(".approval");
    if (!first || !second) return Infinity;
    return this.box.scrollTop + first.getBoundingClientRect().top - this.box.getBoundingClientRect().top - QUESTION_ROOM_PX;
  }
  atEnd() {
    const { box } = this;
    return box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_END_PX;
  }
  note() {
    this.lastTop = this.box.scrollTop;
    this.lastHeight = this.box.scrollHeight;
  }
  set(following) {
    if (this.following === following) return;
    this.following = following;
    this.host.onFollow(following);
  }
};

// app/model/time.ts
var NUMBER = "(\\d+(?:\\.\\d+)?)\\s*";
var HOURS = "(?:h|hrs?|hours?|小时)";
var MINUTES = "(?:m|mins?|minutes?|分钟?)";
var SECONDS = "(?:s|secs?|seconds?|秒钟?)";
var PARTS = new RegExp(`^(?:${NUMBER}${HOURS})?\\s*(?:${NUMBER}${MINUTES})?\\s*(?:${NUMBER}${SECONDS})?$`, "i");
function parseTime(typed2) {
  const text3 = typed2.trim();
  const found = PARTS.exec(/^\d+$/.test(text3) ? `${text3} s` : text3);
  if (!found) return NaN;
  const [hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0));
  const sum = hours * 3600 + minutes * 60 + seconds;
  const whole = Math.round(sum);
  return whole >= 1 && Number.isSafeInteger(whole) && Math.abs(sum - whole) < 1e-6 ? whole : NaN;
}
function writeTime(seconds) {
  const parts = [[Math.floor(seconds / 3600), "h"], [Math.floor(seconds / 60) % 60, "min"], [seconds % 60, "s"]];
  return parts.filter(([n3]) => n3 > 0).map(([n3, unit]) => `${n3} ${unit}`).join(" ") || "0 s";
}

// app/model/budget.ts
var LIMIT_ROWS = [
  ["usd", ["turn_usd", "session_usd", "day_usd"]],
  ["tokens", ["turn_tokens", "session_tokens", "day_tokens"]],
  ["seconds", ["turn_seconds", "session_seconds", "day_seconds"]]
];
var LIMITS = LIMIT_ROWS.flatMap(([unit, limits2]) => limits2.map((limit) => [limit, unit]));
function amountOf(typed2, unit) {
  if (unit === "seconds") return parseTime(typed2);
  const n3 = numberOf(typed2.replace(/^\s*\$/, ""));
  return n3 > 0 && (unit === "usd" || Number.isInteger(n3)) ? n3 : NaN;
}
var typedAmount = (n3, unit) => unit === "seconds" ? writeTime(n3) : String(n3);
var budgetForm = (budget) => Object.fromEntries(LIMITS.map(([limit, unit]) => [limit, budget[limit] == null ? "" : typedAmount(budget[limit], unit)]));
var checkBudget = (form) => Object.fromEntries(LIMITS.filter(([limit, unit]) => form[limit].trim() !== "" && Number.isNaN(amountOf(form[limit], unit))));
function budgetPatch(before, form) {
  const out = {};
  for (const [limit, unit] of LIMITS) {
    const now = form[limit].trim() === "" ? null : amountOf(form[limit], unit);
    if (now !== (before[limit] ?? null)) out[limit] = now;
  }
  return Object.keys(out).length > 0 ? out : void 0;
}
var limitAt = (path) => LIMITS.find(([limit]) => path === `budget.${limit}`)?.[0];

// app/parts/approval-frame.tsx
var SEEN_MS = 500;
var HOUR_MS = 36e5;
function ApprovalFrame({ approval, title, name, bodyOf, children }) {
  const id2 = approval.approval_id;
  const heading2 = P2();
  const node = T2(null);
  const decide = T2(() => void 0);
  decide.current = (decision) => {
    if (answers.peek().get(id2)?.state === "sending") return;
    const body = bodyOf(decision);
    if (body) void answer(id2, body);
  };
  useInView(node, id2, decide);
  F2(() => () => giveFocusBack(node.current), []);
  return /* @__PURE__ */ a4("div", { class: armed.value === id2 ? "approval armed" : "approval", role: "group", "aria-labelledby": heading2, tabIndex: -1, ref: node, "data-approval": id2, children: [
    /* @__PURE__ */ a4("div", { class: "approval-head", children: [
      /* @__PURE__ */ a4("h3", { id: heading2, children: title }),
      name
    ] }),
    approval.reason && /* @__PURE__ */ a4("p", { class: "why", dir: "auto", children: approval.reason }),
    children((decision) => decide.current(decision)),
    /* @__PURE__ */ a4(Sent, { answer: answers.value.get(id2), onRetry: (decision) => decide.current(decision) }),
    /* @__PURE__ */ a4(Expiry, { at: approval.expires_at })
  ] });
}
function useInView(node, id2, decide) {
  A2(() => {
    const card = node.current;
    if (!card) return void 0;
    let timer2;
    let shown = false;
    const settle = () => {
      clearTimeout(timer2);
      disarm(id2);
      if (!shown || document.hidden) return;
      takeFocus(card);
      timer2 = setTimeout(() => arm(id2, { node: card, decide: (decision) => decide.current(decision) }), SEEN_MS);
    };
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry) return;
      const room = card.closest("#thread")?.clientHeight ?? innerHeight;
      const now = entry.isIntersecting && (entry.intersectionRatio >= 0.97 || entry.intersectionRect.height >= room * 0.9);
      if (now !== shown) {
        shown = now;
        settle();
      }
    }, { threshold: Array.from({ length: 41 }, (_4, i4) => i4 / 40) });
    observer.observe(card);
    document.addEventListener("visibilitychange", settle);
    return () => {
      observer.disconnect();
      clearTimeout(timer2);
      document.removeEventListener("visibilitychange", settle);
      disarm(id2);
    };
  }, [id2]);
}
function takeFocus(card) {
  const field2 = document.getElementById("message");
  const focused = document.activeElement;
  const idle = focused === null || focused === document.body || focused.id === "thread" || focused.id === "main";
  if (idle && field2 instanceof HTMLTextAreaElement && field2.value === "" && !document.querySelector("dialog[open]")) card.focus({ preventScroll: true });
}
function giveFocusBack(card) {
  if (!card?.contains(document.activeElement)) return;
  const step = card.closest("[data-step]")?.dataset.step;
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    const place = step === void 0 ? null : document.querySelector(`[data-step="${CSS.escape(step)}"] > summary`);
    (place ?? document.getElementById("thread"))?.focus({ preventScroll: true });
  });
}
function Expiry({ at: at2 }) {
  const now = useNow(true);
  const left = at2 - now;
  return /* @__PURE__ */ a4("p", { class: "expiry tabular", children: left < HOUR_MS ? t2.approval.expiresIn(duration(Math.max(1e3, Math.ceil(left / 1e3) * 1e3))) : t2.approval.expiresAt(whenWords(at2, now)) });
}
function Sent({ answer: now, onRetry }) {
  if (!now || now.state === "taken" || now.path === "arguments") return null;
  if (now.state === "sending") return /* @__PURE__ */ a4("p", { class: "delivery", role: "status", children: t2.approval.sending });
  if (now.state === "late") return /* @__PURE__ */ a4("p", { class: "delivery failed", role: "alert", children: t2.approval.late(now.detail) });
  return /* @__PURE__ */ a4("p", { class: "delivery failed", role: "alert", children: [
    now.state === "silent" ? t2.outbox.noAnswer : t2.outbox.failed(now.detail),
    /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => onRetry(now.decision), children: t2.retry })
  ] });
}
function KeyHint({ keys }) {
  return /* @__PURE__ */ a4("kbd", { "aria-hidden": "true", children: keys });
}

// app/parts/budget-card.tsx
var INPUT_MODES = { usd: "decimal", tokens: "numeric", seconds: "text" };
var usedWords = (ask2) => t2.budget.used(ask2.unit === "tokens" ? count(ask2.used) : amount(ask2.used, ask2.unit), amount(ask2.limit, ask2.unit));
function amount(n3, unit) {
  switch (unit) {
    case "usd":
      return money(n3);
    case "tokens":
      return t2.budget.tokens(count(n3));
    case "seconds":
      return timeWords(n3);
  }
}
var timeWords = (seconds) => seconds < 9.95 ? `${Math.round(seconds * 10) / 10} s` : writeTime(Math.round(seconds));
function BudgetCard({ approval }) {
  const id2 = approval.approval_id;
  const field2 = P2();
  const ask2 = budgetOf(approval);
  const answer2 = answers.value.get(id2);
  const busy = answer2?.state === "sending";
  const b5 = t2.budget;
  const offered = ask2 ? typedAmount(ask2.more, ask2.unit) : "";
  const typed2 = (drafts.value.get(id2) ?? NOTHING).more ?? offered;
  const more = ask2 ? amountOf(typed2, ask2.unit) : NaN;
  const problem = ask2 && Number.isNaN(more) ? b5.problems[ask2.unit] : answer2?.path === "arguments" ? answer2.detail : void 0;
  const bodyOf = (decision) => {
    if (decision === "deny") return { decision };
    if (!ask2) return { decision };
    const text3 = drafts.peek().get(id2)?.more ?? offered;
    const n3 = amountOf(text3, ask2.unit);
    if (Number.isNaN(n3)) {
      document.getElementById(field2)?.focus();
      return null;
    }
    return { decision, arguments: { more: n3 } };
  };
  return /* @__PURE__ */ a4(ApprovalFrame, { approval, title: ask2 ? b5.titles[ask2.key] : b5.title, bodyOf, children: (decide) => /* @__PURE__ */ a4($, { children: [
    ask2 && /* @__PURE__ */ a4(Used, { ask: ask2 }),
    ask2 && /* @__PURE__ */ a4("div", { class: "field more", children: [
      /* @__PURE__ */ a4("label", { for: field2, children: b5.more }),
      /* @__PURE__ */ a4("div", { class: "field-line", children: [
        ask2.unit === "usd" && /* @__PURE__ */ a4("span", { "aria-hidden": "true", children: "$" }),
        /* @__PURE__ */ a4(
          "input",
          {
            id: field2,
            value: typed2,
            inputMode: INPUT_MODES[ask2.unit],
            autocomplete: "off",
            "aria-invalid": problem ? true : void 0,
            "aria-describedby": problem ? `${field2}-problem` : void 0,
            onInput: (e4) => change(id2, { more: e4.currentTarget.value }),
            onKeyDown: (e4) => {
              if (e4.key === "Enter" && !e4.altKey && !e4.isComposing) {
                e4.preventDefault();
                decide("allow_once");
              }
            }
          }
        ),
        /* @__PURE__ */ a4("span", { class: "quiet", children: b5.units[ask2.unit] })
      ] }),
      /* @__PURE__ */ a4(FieldWords, { id: field2, problem })
    ] }),
    /* @__PURE__ */ a4("div", { class: "row answers", children: [
      /* @__PURE__ */ a4("button", { type: "button", class: "go", "aria-disabled": busy, "aria-keyshortcuts": "Alt+Enter", onClick: () => decide("allow_once"), children: [
        ask2 && !Number.isNaN(more) ? b5.allow(amount(more, ask2.unit)) : b5.more,
        /* @__PURE__ */ a4(KeyHint, { keys: "Alt Enter" })
      ] }),
      /* @__PURE__ */ a4("button", { type: "button", class: "line", "aria-disabled": busy, "aria-keyshortcuts": "Alt+Backspace", onClick: () => decide("deny"), children: [
        b5.stop,
        /* @__PURE__ */ a4(KeyHint, { keys: "Alt Backspace" })
      ] })
    ] })
  ] }) });
}
function Used({ ask: ask2 }) {
  const part = ask2.limit > 0 ? Math.min(1, ask2.used / ask2.limit) : 1;
  const words = usedWords(ask2);
  return /* @__PURE__ */ a4("p", { class: "used", children: [
    /* @__PURE__ */ a4("span", { class: "bar", role: "meter", "aria-label": t2.budget.label, "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(part * 100), "aria-valuetext": words, children: /* @__PURE__ */ a4("i", { ref: (n3) => {
      n3?.style.setProperty("width", `${part * 100}%`);
    } }) }),
    /* @__PURE__ */ a4("span", { class: "tabular", children: words })
  ] });
}

// app/parts/decided.tsx
function Decided({ approval }) {
  if (approval.decision === void 0) return null;
  const late = answers.value.get(approval.approval_id);
  return /* @__PURE__ */ a4("div", { class: "decided", children: [
    /* @__PURE__ */ a4(DecidedWords, { approval }),
    late?.state === "late" && /* @__PURE__ */ a4("p", { class: "delivery failed", children: t2.approval.late(late.detail) })
  ] });
}
function DecidedWords({ approval }) {
  const { decision, by, decided_at, decided_reason } = approval;
  if (decision === void 0) return null;
  const mine = answers.value.get(approval.approval_id)?.state === "taken";
  const who = mine ? t2.approval.you : by ? t2.approval.actors[by] ?? by : "";
  const what = approval.kind === "budget" ? t2.budget.decided[decision] : t2.approval.decided[decision];
  return /* @__PURE__ */ a4("p", { children: [
    t2.approval.decidedLine(what, decision === "expired" || decision === "cancelled" ? "" : who),
    decided_at !== void 0 && /* @__PURE__ */ a4($, { children: [
      " · ",
      /* @__PURE__ */ a4("time", { dateTime: new Date(decided_at).toISOString(), title: fullTime(decided_at), children: clock(decided_at) })
    ] }),
    decided_reason && decision === "deny" && /* @__PURE__ */ a4($, { children: [
      " — ",
      /* @__PURE__ */ a4("q", { dir: "auto", children: decided_reason })
    ] })
  ] });
}
function DecidedBudget({ approval, id: id2 }) {
  const ask2 = budgetOf(approval);
  const allowed = approval.decision?.startsWith("allow") === true;
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(
      Step,
      {
        id: id2,
        mark: allowed ? "ok" : approval.decision === void 0 ? "off" : "bad",
        state: "",
        summary: /* @__PURE__ */ a4("span", { class: "notice-text", children: [
          /* @__PURE__ */ a4("b", { children: ask2 ? t2.budget.titles[ask2.key] : t2.budget.title }),
          " ",
          ask2 && usedWords(ask2)
        ] })
      }
    ),
    /* @__PURE__ */ a4(Decided, { approval })
  ] });
}

// app/model/diff.ts
var HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
var TOTALS = /in all \+(\d+) −(\d+)$/;
function readDiff(diff) {
  const model = { lines: [], added: 0, removed: 0, files: 0 };
  let file = { added: 0, removed: 0 };
  let oldLeft = 0, newLeft = 0;
  const endFile = () => {
    model.added += file.added;
    model.removed += file.removed;
    file = { added: 0, removed: 0 };
  };
  const put = (kind, text3) => model.lines.push({ kind, text: text3 });
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    if (line.startsWith("\\")) {
      const totals = TOTALS.exec(line);
      if (totals) file = { added: Number(totals[1]), removed: Number(totals[2]) };
      put("note", line);
    } else if (oldLeft > 0 || newLeft > 0) {
      if (line.startsWith("+")) {
        newLeft--;
        file.added++;
        put("added", line);
      } else if (line.startsWith("-")) {
        oldLeft--;
        file.removed++;
        put("removed", line);
      } else {
        oldLeft--;
        newLeft--;
        put("same", line);
      }
    } else {
      const hunk = HUNK.exec(line);
      if (hunk) {
        oldLeft = Number(hunk[1] ?? 1);
        newLeft = Number(hunk[2] ?? 1);
        put("hunk", line);
      } else if (line.startsWith("--- ")) {
        endFile();
        model.files++;
        put("file", line);
      } else put(line.startsWith("+++ ") ? "file" : "note", line);
    }
  }
  endFile();
  return model;
}
function shownLines({ lines, files }) {
  const hunks = lines.filter((line) => line.kind === "hunk").length;
  return lines.filter((line) => (line.kind !== "file" || files > 1) && (line.kind !== "hunk" || hunks > 1));
}

// app/parts/shown-text.tsx
function ShownText({ text: text3 }) {
  return /* @__PURE__ */ a4($, { children: piecesOf(text3).map((p5, i4) => p5.hidden === void 0 ? p5.text : /* @__PURE__ */ a4("span", { class: "hidden-char", title: t2.approval.hidden(p5.hidden), children: p5.hidden }, i4)) });
}
function ShownBlock({ text: text3, label }) {
  return /* @__PURE__ */ a4("pre", { class: "shown", tabIndex: 0, role: "region", "aria-label": label, children: /* @__PURE__ */ a4(ShownText, { text: text3 }) });
}

// app/parts/diff.tsx
var LINES_SHOWN = 40;
function Diff({ diff, label, whole = false }) {
  const [all, setAll] = d2(whole);
  const lines = w2(() => shownLines(readDiff(diff)), [diff]);
  const shown = all ? lines : lines.slice(0, LINES_SHOWN);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("pre", { class: "diff", tabIndex: 0, "aria-label": label, children: shown.map((line, i4) => /* @__PURE__ */ a4("span", { class: CLASSES[line.kind], children: [
      whole ? /* @__PURE__ */ a4(ShownText, { text: line.text }) : line.text,
      "\n"
    ] }, i4)) }),
    shown.length < lines.length && /* @__PURE__ */ a4("button", { type: "button", class: "small", onClick: () => setAll(true), children: t2.tool.showAll(lines.length) })
  ] });
}
var CLASSES = { file: "h", hunk: "h", note: "h", added: "a", removed: "d", same: "" };

// app/parts/approval-card.tsx
function ApprovalCard({ approval, object }) {
  const id2 = approval.approval_id;
  const draft = drafts.value.get(id2) ?? NOTHING;
  const answer2 = answers.value.get(id2);
  const busy = answer2?.state === "sending";
  const a5 = t2.approval;
  const changed = typedArguments(draft.arguments, approval.arguments);
  const isChanged = typeof changed === "string" || changed.value !== null;
  const bodyOf = (decision) => {
    if (decision === "deny") return { decision, ...draft.note?.trim() && { reason: draft.note.trim() } };
    const typed2 = typedArguments(drafts.peek().get(id2)?.arguments ?? null, approval.arguments);
    if (typeof typed2 === "string") {
      document.getElementById(`${id2}-arguments`)?.focus();
      return null;
    }
    return { decision, ...typed2.value !== null && { arguments: typed2.value } };
  };
  return /* @__PURE__ */ a4(ApprovalFrame, { approval, title: a5.titles[verbOf(approval.tool)], name: /* @__PURE__ */ a4("code", { class: "tool-name", children: approval.tool }), bodyOf, children: (decide) => /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(What, { approval, object }),
    /* @__PURE__ */ a4(Where, { approval }),
    draft.arguments !== null && /* @__PURE__ */ a4(ArgumentsField, { id: id2, value: draft.arguments, problem: typeof changed === "string" ? t2.models.problems[changed] : answer2?.path === "arguments" ? answer2.detail : void 0 }),
    /* @__PURE__ */ a4("div", { class: "row answers", children: [
      /* @__PURE__ */ a4("button", { type: "button", class: "go", "aria-disabled": busy, "aria-keyshortcuts": "Alt+Enter", onClick: () => decide("allow_once"), children: [
        isChanged ? a5.onceChanged : a5.once,
        /* @__PURE__ */ a4(KeyHint, { keys: "Alt Enter" })
      ] }),
      /* @__PURE__ */ a4("button", { type: "button", class: "line", "aria-disabled": busy, "aria-keyshortcuts": "Alt+Backspace", onClick: () => decide("deny"), children: [
        draft.note?.trim() ? a5.denyWithNote : a5.deny,
        /* @__PURE__ */ a4(KeyHint, { keys: "Alt Backspace" })
      ] }),
      /* @__PURE__ */ a4("span", { class: "extras", children: [
        draft.note === null && /* @__PURE__ */ a4("button", { type: "button", class: "small", onClick: () => change(id2, { note: "" }), children: a5.addNote }),
        draft.arguments === null && /* @__PURE__ */ a4("button", { type: "button", class: "small", onClick: () => change(id2, { arguments: jsonOf(approval.arguments) }), children: a5.changeArguments })
      ] })
    ] }),
    draft.note !== null && /* @__PURE__ */ a4(NoteField, { value: draft.note, onText: (note2) => change(id2, { note: note2 }), onEnter: () => decide("deny"), onClose: () => change(id2, { note: null }) }),
    approval.covers.length > 0 && !isChanged && /* @__PURE__ */ a4(Scope, { covers: approval.covers, busy, decide })
  ] }) });
}
function What({ approval, object }) {
  const { command, rest } = shownOf(approval);
  if (approval.diff !== void 0) {
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("p", { class: "approval-object", children: /* @__PURE__ */ a4("code", { dir: "auto", children: /* @__PURE__ */ a4(ShownText, { text: approval.hint || object }) }) }),
      /* @__PURE__ */ a4(Diff, { diff: approval.diff, label: t2.tool.diff(object), whole: true }),
      rest !== void 0 && /* @__PURE__ */ a4("details", { class: "fold", children: [
        /* @__PURE__ */ a4("summary", { children: t2.approval.allArguments }),
        /* @__PURE__ */ a4(ShownBlock, { text: rest, label: t2.approval.allArguments })
      ] })
    ] });
  }
  return /* @__PURE__ */ a4($, { children: [
    command !== void 0 && /* @__PURE__ */ a4(ShownBlock, { text: command, label: t2.approval.command }),
    rest !== void 0 && /* @__PURE__ */ a4(ShownBlock, { text: rest, label: t2.approval.allArguments })
  ] });
}
var IN_FOLDER = /* @__PURE__ */ new Set(["read", "edit", "look", "grep", "run"]);
function Where({ approval }) {
  void open.value?.meta.value;
  const host = hostOf(approval);
  const folder = IN_FOLDER.has(verbOf(approval.tool)) ? open.value?.workspace ?? "" : "";
  const words = host ? t2.approval.at : folder ? t2.approval.in : "";
  return words ? /* @__PURE__ */ a4("p", { class: "where", children: [
    words,
    " ",
    /* @__PURE__ */ a4("code", { dir: "auto", children: host || folder })
  ] }) : null;
}
function ArgumentsField({ id: id2, value, problem }) {
  const field2 = T2(null);
  const name = `${id2}-arguments`;
  A2(() => field2.current?.focus(), []);
  return /* @__PURE__ */ a4("div", { class: "field", children: [
    /* @__PURE__ */ a4("label", { for: name, children: t2.approval.changedArguments }),
    /* @__PURE__ */ a4(
      "textarea",
      {
        id: name,
        ref: field2,
        class: "mono",
        rows: Math.min(14, value.split("\n").length + 1),
        value,
        spellcheck: false,
        autocomplete: "off",
        "aria-invalid": problem ? true : void 0,
        "aria-describedby": `${problem ? `${name}-problem ` : ""}${name}-note`,
        onInput: (e4) => change(id2, { arguments: e4.currentTarget.value })
      }
    ),
    /* @__PURE__ */ a4(FieldWords, { id: name, problem, note: t2.approval.changedNote }),
    /* @__PURE__ */ a4("div", { class: "row", children: /* @__PURE__ */ a4("button", { type: "button", class: "small", onClick: () => change(id2, { arguments: null }), children: t2.approval.keepArguments }) })
  ] });
}
function NoteField({ value, onText, onEnter, onClose }) {
  const id2 = P2();
  const field2 = T2(null);
  A2(() => field2.current?.focus(), []);
  return /* @__PURE__ */ a4("div", { class: "field", children: [
    /* @__PURE__ */ a4("label", { for: id2, children: t2.approval.note }),
    /* @__PURE__ */ a4(
      "input",
      {
        id: id2,
        ref: field2,
        value,
        placeholder: t2.approval.noteHint,
        dir: "auto",
        autocomplete: "off",
        onInput: (e4) => onText(e4.currentTarget.value),
        onKeyDown: (e4) => {
          if (e4.isComposing || e4.altKey) return;
          if (e4.key === "Enter") {
            e4.preventDefault();
            onEnter();
          }
          if (e4.key === "Escape") {
            e4.preventDefault();
            onClose();
          }
        }
      }
    )
  ] });
}
function Scope({ covers, busy, decide }) {
  const a5 = t2.approval;
  const id2 = P2();
  return /* @__PURE__ */ a4("div", { class: "scope", children: [
    /* @__PURE__ */ a4("p", { id: id2, children: [
      a5.scope,
      " ",
      covers.map((c4, i4) => /* @__PURE__ */ a4("span", { class: "cover", children: [
        i4 > 0 && " · ",
        /* @__PURE__ */ a4(CoverWords, { cover: c4 })
      ] }, i4))
    ] }),
    /* @__PURE__ */ a4("div", { class: "row", children: [
      /* @__PURE__ */ a4("button", { type: "button", class: "line", "aria-disabled": busy, "aria-describedby": id2, onClick: () => decide("allow_session"), children: a5.session }),
      /* @__PURE__ */ a4("button", { type: "button", class: "small", "aria-disabled": busy, "aria-describedby": id2, onClick: () => decide("allow_always"), children: a5.always })
    ] })
  ] });
}
function CoverWords({ cover: { tool, match } }) {
  const a5 = t2.approval;
  if (match === "*") return /* @__PURE__ */ a4($, { children: [
    a5.everyCall[0],
    /* @__PURE__ */ a4("code", { children: /* @__PURE__ */ a4(ShownText, { text: tool }) }),
    a5.everyCall[1]
  ] });
  return /* @__PURE__ */ a4($, { children: [
    match.includes("*") ? a5.like : a5.exactly,
    " ",
    /* @__PURE__ */ a4("code", { children: /* @__PURE__ */ a4(ShownText, { text: match }) }),
    " (",
    tool,
    ")"
  ] });
}

// app/parts/tool-row.tsx
var LINES_SHOWN2 = 40;
var ERROR_LINES = 8;
var DIFF_OPEN_LINES = 40;
function ToolRow({ part, status, approval, id: id2 }) {
  if (status === "waiting" && approval && isPending(approval)) return /* @__PURE__ */ a4("div", { class: "step wait", "data-step": id2, children: /* @__PURE__ */ a4(ApprovalCard, { approval, object: objectOf(part) }) });
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(ToolStep, { part, status, id: id2 }),
    approval && /* @__PURE__ */ a4(Decided, { approval })
  ] });
}
function ToolStep({ part, status, id: id2 }) {
  const running = status === "running";
  const [live, done] = t2.tool.verbs[verbOf(part.name)];
  const failed = status === "error" || status === "denied";
  const counts = part.diff ? readDiff(part.diff) : null;
  const shortDiff = part.diff !== void 0 && part.diff.split("\n").length <= DIFF_OPEN_LINES;
  return /* @__PURE__ */ a4(
    Step,
    {
      id: id2,
      mark: markOf(part),
      state: stateWords(part),
      open: failed || shortDiff,
      summary: /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("b", { children: running || part.status === "waiting" || part.status === "denied" ? live : done }),
        " ",
        /* @__PURE__ */ a4("code", { dir: "auto", children: objectOf(part) }),
        counts && /* @__PURE__ */ a4("span", { class: "counts", children: [
          /* @__PURE__ */ a4("span", { class: "added", children: [
            "+",
            counts.added
          ] }),
          " ",
          /* @__PURE__ */ a4("span", { class: "removed", children: [
            "−",
            counts.removed
          ] })
        ] }),
        part.exit_code !== void 0 && part.exit_code !== 0 && /* @__PURE__ */ a4("span", { children: [
          "— ",
          t2.tool.exit(part.exit_code)
        ] }),
        part.status !== "ok" && !running && part.exit_code === void 0 && /* @__PURE__ */ a4("span", { children: [
          "— ",
          stateWords(part)
        ] })
      ] }),
      aside: running ? /* @__PURE__ */ a4(Running, {}) : part.duration_ms !== void 0 && duration(part.duration_ms),
      body: () => /* @__PURE__ */ a4(ToolBody, { part, status })
    }
  );
}
function stateWords(part) {
  switch (part.status) {
    case "running":
    case "ok":
      return "";
    default:
      return t2.tool[part.status] ?? part.status;
  }
}
function Running() {
  return /* @__PURE__ */ a4("span", { class: "tabular", children: duration(Math.max(100, Math.floor(useElapsed(true) / 1e3) * 1e3)) });
}
function ToolBody({ part, status }) {
  const [, setDrawn] = d2(0);
  const redraw = b(() => setDrawn((n3) => n3 + 1), []);
  A2(() => onGrowth(part, () => nextFrame(redraw)), [part]);
  const output = part.output || part.preview || "";
  const diff = part.diff && status !== "waiting" ? /* @__PURE__ */ a4(Diff, { diff: part.diff, label: t2.tool.diff(objectOf(part)) }) : null;
  if (diff && status === "ok") return /* @__PURE__ */ a4("div", { class: "tool-body", children: diff });
  return /* @__PURE__ */ a4("div", { class: "tool-body", children: [
    diff,
    inputMatters(part) && /* @__PURE__ */ a4(Labelled, { name: t2.tool.input, children: /* @__PURE__ */ a4("pre", { tabIndex: 0, "aria-label": t2.tool.input, children: inputText(part) }) }),
    status !== "running" || output ? /* @__PURE__ */ a4(Labelled, { name: t2.tool.output, copy: output, children: output ? /* @__PURE__ */ a4(Output, { text: output, tail: status === "running", error: status === "error" }) : /* @__PURE__ */ a4("p", { class: "quiet", children: t2.tool.noOutput }) }) : null
  ] });
}
function Labelled({ name, copy, children }) {
  return /* @__PURE__ */ a4("section", { class: "labelled", children: [
    /* @__PURE__ */ a4("div", { class: "labelled-head", children: [
      /* @__PURE__ */ a4("span", { children: name }),
      copy ? /* @__PURE__ */ a4("button", { type: "button", class: "small", onClick: () => void copyText(copy), children: t2.copy }) : null
    ] }),
    children
  ] });
}
function Output({ text: text3, tail, error: error2 }) {
  const [all, setAll] = d2(false);
  const lines = stripAnsi(text3).split("\n");
  const limit = error2 ? ERROR_LINES : LINES_SHOWN2;
  const cut = !all && lines.length > limit;
  const shown = cut ? tail ? lines.slice(-limit) : lines.slice(0, limit) : lines;
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("pre", { tabIndex: 0, "aria-label": t2.tool.output, children: shown.join("\n") }),
    cut && /* @__PURE__ */ a4("button", { type: "button", class: "small", onClick: () => setAll(true), children: t2.tool.showAll(lines.length) })
  ] });
}
var stripAnsi = (text3) => text3.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "");
function inputMatters(part) {
  const args = part.arguments;
  const values = typeof args === "object" && args !== null ? Object.values(args) : [args];
  return verbOf(part.name) === "use" || values.length > 1 || String(values[0] ?? "").length > 80 || String(values[0] ?? "").includes("\n");
}
function inputText(part) {
  const args = part.arguments;
  if (typeof args === "object" && args !== null) {
    const { command } = args;
    if (typeof command === "string" && verbOf(part.name) === "run") return command;
  }
  return typeof args === "string" ? args : JSON.stringify(args ?? {}, null, 2);
}

// app/parts/provider-tool-row.tsx
function ProviderToolRow({ part, phase, text: text3, id: id2 }) {
  const open3 = phase === "started" || phase === "running";
  const [running, done] = t2.tool.providerVerbs[providerVerb(part.name)];
  const object = providerObject(part);
  const mark = phase === "error" ? "bad" : phase === "done" ? "ok" : "live";
  const hasInput = part.arguments !== void 0 && JSON.stringify(part.arguments).length > object.length + 16;
  return /* @__PURE__ */ a4(
    Step,
    {
      id: id2,
      mark,
      state: "",
      open: phase === "error" && !!text3,
      summary: /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("b", { children: open3 ? running : done }),
        " ",
        object && /* @__PURE__ */ a4("code", { dir: "auto", children: object }),
        phase === "error" && /* @__PURE__ */ a4("span", { children: [
          "— ",
          t2.tool.error
        ] })
      ] }),
      aside: /* @__PURE__ */ a4("span", { class: "by-provider", children: t2.tool.byProvider }),
      ...(hasInput || text3) && {
        body: () => /* @__PURE__ */ a4("div", { class: "tool-body", children: [
          hasInput && /* @__PURE__ */ a4(Labelled, { name: t2.tool.input, children: /* @__PURE__ */ a4("pre", { tabIndex: 0, "aria-label": t2.tool.input, children: typeof part.arguments === "string" ? part.arguments : JSON.stringify(part.arguments, null, 2) }) }),
          text3 && /* @__PURE__ */ a4(Labelled, { name: t2.tool.output, copy: text3, children: /* @__PURE__ */ a4(Output, { text: text3, tail: open3, error: phase === "error" }) })
        ] })
      }
    }
  );
}

// node_modules/mdurl/index.mjs
var mdurl_exports = {};
__export(mdurl_exports, {
  decode: () => decode_default,
  encode: () => encode_default,
  format: () => format,
  parse: () => parse_default
});

// node_modules/mdurl/lib/decode.mjs
var decodeCache = {};
function getDecodeCache(exclude) {
  let cache = decodeCache[exclude];
  if (cache) {
    return cache;
  }
  cache = decodeCache[exclude] = [];
  for (let i4 = 0; i4 < 128; i4++) {
    const ch = String.fromCharCode(i4);
    cache.push(ch);
  }
  for (let i4 = 0; i4 < exclude.length; i4++) {
    const ch = exclude.charCodeAt(i4);
    cache[ch] = "%" + ("0" + ch.toString(16).toUpperCase()).slice(-2);
  }
  return cache;
}
function decode(string, exclude) {
  if (typeof exclude !== "string") {
    exclude = decode.defaultChars;
  }
  const cache = getDecodeCache(exclude);
  return string.replace(/(%[a-f0-9]{2})+/gi, function(seq) {
    let result = "";
    for (let i4 = 0, l4 = seq.length; i4 < l4; i4 += 3) {
      const b1 = parseInt(seq.slice(i4 + 1, i4 + 3), 16);
      if (b1 < 128) {
        result += cache[b1];
        continue;
      }
      if ((b1 & 224) === 192 && i4 + 3 < l4) {
        const b22 = parseInt(seq.slice(i4 + 4, i4 + 6), 16);
        if ((b22 & 192) === 128) {
          const chr = b1 << 6 & 1984 | b22 & 63;
          if (chr < 128) {
            result += "��";
          } else {
            result += String.fromCharCode(chr);
          }
          i4 += 3;
          continue;
        }
      }
      if ((b1 & 240) === 224 && i4 + 6 < l4) {
        const b22 = parseInt(seq.slice(i4 + 4, i4 + 6), 16);
        const b32 = parseInt(seq.slice(i4 + 7, i4 + 9), 16);
        if ((b22 & 192) === 128 && (b32 & 192) === 128) {
          const chr = b1 << 12 & 61440 | b22 << 6 & 4032 | b32 & 63;
          if (chr < 2048 || chr >= 55296 && chr <= 57343) {
            result += "���";
          } else {
            result += String.fromCharCode(chr);
          }
          i4 += 6;
          continue;
        }
      }
      if ((b1 & 248) === 240 && i4 + 9 < l4) {
        const b22 = parseInt(seq.slice(i4 + 4, i4 + 6), 16);
        const b32 = parseInt(seq.slice(i4 + 7, i4 + 9), 16);
        const b42 = parseInt(seq.slice(i4 + 10, i4 + 12), 16);
        if ((b22 & 192) === 128 && (b32 & 192) === 128 && (b42 & 192) === 128) {
          let chr = b1 << 18 & 1835008 | b22 << 12 & 258048 | b32 << 6 & 4032 | b42 & 63;
          if (chr < 65536 || chr > 1114111) {
            result += "����";
          } else {
            chr -= 65536;
            result += String.fromCharCode(55296 + (chr >> 10), 56320 + (chr & 1023));
          }
          i4 += 9;
          continue;
        }
      }
      result += "�";
    }
    return result;
  });
}
decode.defaultChars = ";/?:@&=+$,#";
decode.componentChars = "";
var decode_default = decode;

// node_modules/mdurl/lib/encode.mjs
var encodeCache = {};
function getEncodeCache(exclude) {
  let cache = encodeCache[exclude];
  if (cache) {
    return cache;
  }
  cache = encodeCache[exclude] = [];
  for (let i4 = 0; i4 < 128; i4++) {
    const ch = String.fromCharCode(i4);
    if (/^[0-9a-z]$/i.test(ch)) {
      cache.push(ch);
    } else {
      cache.push("%" + ("0" + i4.toString(16).toUpperCase()).slice(-2));
    }
  }
  for (let i4 = 0; i4 < exclude.length; i4++) {
    cache[exclude.charCodeAt(i4)] = exclude[i4];
  }
  return cache;
}
function encode(string, exclude, keepEscaped) {
  if (typeof exclude !== "string") {
    keepEscaped = exclude;
    exclude = encode.defaultChars;
  }
  if (typeof keepEscaped === "undefined") {
    keepEscaped = true;
  }
  const cache = getEncodeCache(exclude);
  let result = "";
  for (let i4 = 0, l4 = string.length; i4 < l4; i4++) {
    const code2 = string.charCodeAt(i4);
    if (keepEscaped && code2 === 37 && i4 + 2 < l4) {
      if (/^[0-9a-f]{2}$/i.test(string.slice(i4 + 1, i4 + 3))) {
        result += string.slice(i4, i4 + 3);
        i4 += 2;
        continue;
      }
    }
    if (code2 < 128) {
      result += cache[code2];
      continue;
    }
    if (code2 >= 55296 && code2 <= 57343) {
      if (code2 >= 55296 && code2 <= 56319 && i4 + 1 < l4) {
        const nextCode = string.charCodeAt(i4 + 1);
        if (nextCode >= 56320 && nextCode <= 57343) {
          result += encodeURIComponent(string[i4] + string[i4 + 1]);
          i4++;
          continue;
        }
      }
      result += "%EF%BF%BD";
      continue;
    }
    result += encodeURIComponent(string[i4]);
  }
  return result;
}
encode.defaultChars = ";/?:@&=+$,-_.!~*'()#";
encode.componentChars = "-_.!~*'()";
var encode_default = encode;

// node_modules/mdurl/lib/format.mjs
function format(url) {
  let result = "";
  result += url.protocol || "";
  result += url.slashes ? "//" : "";
  result += url.auth ? url.auth + "@" : "";
  if (url.hostname && url.hostname.indexOf(":") !== -1) {
    result += "[" + url.hostname + "]";
  } else {
    result += url.hostname || "";
  }
  result += url.port ? ":" + url.port : "";
  result += url.pathname || "";
  result += url.search || "";
  result += url.hash || "";
  return result;
}

// node_modules/mdurl/lib/parse.mjs
function Url() {
  this.protocol = null;
  this.slashes = null;
  this.auth = null;
  this.port = null;
  this.hostname = null;
  this.hash = null;
  this.search = null;
  this.pathname = null;
}
var protocolPattern = /^([a-z0-9.+-]+:)/i;
var portPattern = /:[0-9]*$/;
var simplePathPattern = /^(\/\/?(?!\/)[^\?\s]*)(\?[^\s]*)?$/;
var delims = ["<", ">", '"', "`", " ", "\r", "\n", "	"];
var unwise = ["{", "}", "|", "\\", "^", "`"].concat(delims);
var autoEscape = ["'"].concat(unwise);
var nonHostChars = ["%", "/", "?", ";", "#"].concat(autoEscape);
var hostEndingChars = ["/", "?", "#"];
var hostnameMaxLen = 255;
var hostnamePartPattern = /^[+a-z0-9A-Z_-]{0,63}$/;
var hostnamePartStart = /^([+a-z0-9A-Z_-]{0,63})(.*)$/;
var hostlessProtocol = {
  javascript: true,
  "javascript:": true
};
var slashedProtocol = {
  http: true,
  https: true,
  ftp: true,
  gopher: true,
  file: true,
  "http:": true,
  "https:": true,
  "ftp:": true,
  "gopher:": true,
  "file:": true
};
function urlParse(url, slashesDenoteHost) {
  if (url && url instanceof Url) return url;
  const u4 = new Url();
  u4.parse(url, slashesDenoteHost);
  return u4;
}
Url.prototype.parse = function(url, slashesDenoteHost) {
  let lowerProto, hec, slashes;
  let rest = url;
  rest = rest.trim();
  if (!slashesDenoteHost && url.split("#").length === 1) {
    const simplePath = simplePathPattern.exec(rest);
    if (simplePath) {
      this.pathname = simplePath[1];
      if (simplePath[2]) {
        this.search = simplePath[2];
      }
      return this;
    }
  }
  let proto = protocolPattern.exec(rest);
  if (proto) {
    proto = proto[0];
    lowerProto = proto.toLowerCase();
    this.protocol = proto;
    rest = rest.substr(proto.length);
  }
  if (slashesDenoteHost || proto || rest.match(/^\/\/[^@\/]+@[^@\/]+/)) {
    slashes = rest.substr(0, 2) === "//";
    if (slashes && !(proto && hostlessProtocol[proto])) {
      rest = rest.substr(2);
      this.slashes = true;
    }
  }
  if (!hostlessProtocol[proto] && (slashes || proto && !slashedProtocol[proto])) {
    let hostEnd = -1;
    for (let i4 = 0; i4 < hostEndingChars.length; i4++) {
      hec = rest.indexOf(hostEndingChars[i4]);
      if (hec !== -1 && (hostEnd === -1 || hec < hostEnd)) {
        hostEnd = hec;
      }
    }
    let auth, atSign;
    if (hostEnd === -1) {
      atSign = rest.lastIndexOf("@");
    } else {
      atSign = rest.lastIndexOf("@", hostEnd);
    }
    if (atSign !== -1) {
      auth = rest.slice(0, atSign);
      rest = rest.slice(atSign + 1);
      this.auth = auth;
    }
    hostEnd = -1;
    for (let i4 = 0; i4 < nonHostChars.length; i4++) {
      hec = rest.indexOf(nonHostChars[i4]);
      if (hec !== -1 && (hostEnd === -1 || hec < hostEnd)) {
        hostEnd = hec;
      }
    }
    if (hostEnd === -1) {
      hostEnd = rest.length;
    }
    if (rest[hostEnd - 1] === ":") {
      hostEnd--;
    }
    const host = rest.slice(0, hostEnd);
    rest = rest.slice(hostEnd);
    this.parseHost(host);
    this.hostname = this.hostname || "";
    const ipv6Hostname = this.hostname[0] === "[" && this.hostname[this.hostname.length - 1] === "]";
    if (!ipv6Hostname) {
      const hostparts = this.hostname.split(/\./);
      for (let i4 = 0, l4 = hostparts.length; i4 < l4; i4++) {
        const part = hostparts[i4];
        if (!part) {
          continue;
        }
        if (!part.match(hostnamePartPattern)) {
          let newpart = "";
          for (let j4 = 0, k4 = part.length; j4 < k4; j4++) {
            if (part.charCodeAt(j4) > 127) {
              newpart += "x";
            } else {
              newpart += part[j4];
            }
          }
          if (!newpart.match(hostnamePartPattern)) {
            const validParts = hostparts.slice(0, i4);
            const notHost = hostparts.slice(i4 + 1);
            const bit = part.match(hostnamePartStart);
            if (bit) {
              validParts.push(bit[1]);
              notHost.unshift(bit[2]);
            }
            if (notHost.length) {
              rest = notHost.join(".") + rest;
            }
            this.hostname = validParts.join(".");
            break;
          }
        }
      }
    }
    if (this.hostname.length > hostnameMaxLen) {
      this.hostname = "";
    }
    if (ipv6Hostname) {
      this.hostname = this.hostname.substr(1, this.hostname.length - 2);
    }
  }
  const hash = rest.indexOf("#");
  if (hash !== -1) {
    this.hash = rest.substr(hash);
    rest = rest.slice(0, hash);
  }
  const qm = rest.indexOf("?");
  if (qm !== -1) {
    this.search = rest.substr(qm);
    rest = rest.slice(0, qm);
  }
  if (rest) {
    this.pathname = rest;
  }
  if (slashedProtocol[lowerProto] && this.hostname && !this.pathname) {
    this.pathname = "";
  }
  return this;
};
Url.prototype.parseHost = function(host) {
  let port = portPattern.exec(host);
  if (port) {
    port = port[0];
    if (port !== ":") {
      this.port = port.substr(1);
    }
    host = host.substr(0, host.length - port.length);
  }
  if (host) {
    this.hostname = host;
  }
};
var parse_default = urlParse;

// node_modules/uc.micro/build/index.mjs
var build_exports = {};
__export(build_exports, {
  Any: () => Any,
  Cc: () => Cc,
  Cf: () => Cf,
  P: () => P4,
  S: () => S3,
  Z: () => Z
});
var Any = /[\0-\uD7FF\uE000-\uFFFF]|[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?:[^\uD800-\uDBFF]|^)[\uDC00-\uDFFF]/;
var Cc = /[\0-\x1F\x7F-\x9F]/;
var Cf = /[\xAD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]|\uD804[\uDCBD\uDCCD]|\uD80D[\uDC30-\uDC3F]|\uD82F[\uDCA0-\uDCA3]|\uD834[\uDD73-\uDD7A]|\uDB40[\uDC01\uDC20-\uDC7F]/;
var P4 = /[!-#%-\*,-\/:;\?@\[-\]_\{\}\xA1\xA7\xAB\xB6\xB7\xBB\xBF\u037E\u0387\u055A-\u055F\u0589\u058A\u05BE\u05C0\u05C3\u05C6\u05F3\u05F4\u0609\u060A\u060C\u060D\u061B\u061D-\u061F\u066A-\u066D\u06D4\u0700-\u070D\u07F7-\u07F9\u0830-\u083E\u085E\u0964\u0965\u0970\u09FD\u0A76\u0AF0\u0C77\u0C84\u0DF4\u0E4F\u0E5A\u0E5B\u0F04-\u0F12\u0F14\u0F3A-\u0F3D\u0F85\u0FD0-\u0FD4\u0FD9\u0FDA\u104A-\u104F\u10FB\u1360-\u1368\u1400\u166E\u169B\u169C\u16EB-\u16ED\u1735\u1736\u17D4-\u17D6\u17D8-\u17DA\u1800-\u180A\u1944\u1945\u1A1E\u1A1F\u1AA0-\u1AA6\u1AA8-\u1AAD\u1B4E\u1B4F\u1B5A-\u1B60\u1B7D-\u1B7F\u1BFC-\u1BFF\u1C3B-\u1C3F\u1C7E\u1C7F\u1CC0-\u1CC7\u1CD3\u2010-\u2027\u2030-\u2043\u2045-\u2051\u2053-\u205E\u207D\u207E\u208D\u208E\u2308-\u230B\u2329\u232A\u2768-\u2775\u27C5\u27C6\u27E6-\u27EF\u2983-\u2998\u29D8-\u29DB\u29FC\u29FD\u2CF9-\u2CFC\u2CFE\u2CFF\u2D70\u2E00-\u2E2E\u2E30-\u2E4F\u2E52-\u2E5D\u3001-\u3003\u3008-\u3011\u3014-\u301F\u3030\u303D\u30A0\u30FB\uA4FE\uA4FF\uA60D-\uA60F\uA673\uA67E\uA6F2-\uA6F7\uA874-\uA877\uA8CE\uA8CF\uA8F8-\uA8FA\uA8FC\uA92E\uA92F\uA95F\uA9C1-\uA9CD\uA9DE\uA9DF\uAA5C-\uAA5F\uAADE\uAADF\uAAF0\uAAF1\uABEB\uFD3E\uFD3F\uFE10-\uFE19\uFE30-\uFE52\uFE54-\uFE61\uFE63\uFE68\uFE6A\uFE6B\uFF01-\uFF03\uFF05-\uFF0A\uFF0C-\uFF0F\uFF1A\uFF1B\uFF1F\uFF20\uFF3B-\uFF3D\uFF3F\uFF5B\uFF5D\uFF5F-\uFF65]|\uD800[\uDD00-\uDD02\uDF9F\uDFD0]|\uD801\uDD6F|\uD802[\uDC57\uDD1F\uDD3F\uDE50-\uDE58\uDE7F\uDEF0-\uDEF6\uDF39-\uDF3F\uDF99-\uDF9C]|\uD803[\uDD6E\uDEAD\uDED0\uDF55-\uDF59\uDF86-\uDF89]|\uD804[\uDC47-\uDC4D\uDCBB\uDCBC\uDCBE-\uDCC1\uDD40-\uDD43\uDD74\uDD75\uDDC5-\uDDC8\uDDCD\uDDDB\uDDDD-\uDDDF\uDE38-\uDE3D\uDEA9\uDFD4\uDFD5\uDFD7\uDFD8]|\uD805[\uDC4B-\uDC4F\uDC5A\uDC5B\uDC5D\uDCC6\uDDC1-\uDDD7\uDE41-\uDE43\uDE60-\uDE6C\uDEB9\uDF3C-\uDF3E]|\uD806[\uDC3B\uDD44-\uDD46\uDDE2\uDE3F-\uDE46\uDE9A-\uDE9C\uDE9E-\uDEA2\uDF00-\uDF09\uDFE1]|\uD807[\uDC41-\uDC45\uDC70\uDC71\uDEF7\uDEF8\uDF43-\uDF4F\uDFFF]|\uD809[\uDC70-\uDC74]|\uD80B[\uDFF1\uDFF2]|\uD81A[\uDE6E\uDE6F\uDEF5\uDF37-\uDF3B\uDF44]|\uD81B[\uDD6D-\uDD6F\uDE97-\uDE9A\uDFE2]|\uD82F\uDC9F|\uD836[\uDE87-\uDE8B]|\uD839\uDDFF|\uD83A[\uDD5E\uDD5F]/;
var S3 = /[\$\+<->\^`\|~\xA2-\xA6\xA8\xA9\xAC\xAE-\xB1\xB4\xB8\xD7\xF7\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u0375\u0384\u0385\u03F6\u0482\u058D-\u058F\u0606-\u0608\u060B\u060E\u060F\u06DE\u06E9\u06FD\u06FE\u07F6\u07FE\u07FF\u0888\u09F2\u09F3\u09FA\u09FB\u0AF1\u0B70\u0BF3-\u0BFA\u0C7F\u0D4F\u0D79\u0E3F\u0F01-\u0F03\u0F13\u0F15-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0FBE-\u0FC5\u0FC7-\u0FCC\u0FCE\u0FCF\u0FD5-\u0FD8\u109E\u109F\u1390-\u1399\u166D\u17DB\u1940\u19DE-\u19FF\u1B61-\u1B6A\u1B74-\u1B7C\u1FBD\u1FBF-\u1FC1\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF\u1FFD\u1FFE\u2044\u2052\u207A-\u207C\u208A-\u208C\u20A0-\u20C1\u2100\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211E-\u2123\u2125\u2127\u2129\u212E\u213A\u213B\u2140-\u2144\u214A-\u214D\u214F\u218A\u218B\u2190-\u2307\u230C-\u2328\u232B-\u2429\u2440-\u244A\u249C-\u24E9\u2500-\u2767\u2794-\u27C4\u27C7-\u27E5\u27F0-\u2982\u2999-\u29D7\u29DC-\u29FB\u29FE-\u2B73\u2B76-\u2BFF\u2CE5-\u2CEA\u2E50\u2E51\u2E80-\u2E99\u2E9B-\u2EF3\u2F00-\u2FD5\u2FF0-\u2FFF\u3004\u3012\u3013\u3020\u3036\u3037\u303E\u303F\u309B\u309C\u3190\u3191\u3196-\u319F\u31C0-\u31E5\u31EF\u3200-\u321E\u322A-\u3247\u3250\u3260-\u327F\u328A-\u32B0\u32C0-\u33FF\u4DC0-\u4DFF\uA490-\uA4C6\uA700-\uA716\uA720\uA721\uA789\uA78A\uA828-\uA82B\uA836-\uA839\uAA77-\uAA79\uAB5B\uAB6A\uAB6B\uFB29\uFBB2-\uFBD2\uFD40-\uFD4F\uFD90\uFD91\uFDC8-\uFDCF\uFDFC-\uFDFF\uFE62\uFE64-\uFE66\uFE69\uFF04\uFF0B\uFF1C-\uFF1E\uFF3E\uFF40\uFF5C\uFF5E\uFFE0-\uFFE6\uFFE8-\uFFEE\uFFFC\uFFFD]|\uD800[\uDD37-\uDD3F\uDD79-\uDD89\uDD8C-\uDD8E\uDD90-\uDD9C\uDDA0\uDDD0-\uDDFC]|\uD802[\uDC77\uDC78\uDEC8]|\uD803[\uDD8E\uDD8F\uDED1-\uDED8]|\uD805\uDF3F|\uD807[\uDFD5-\uDFF1]|\uD81A[\uDF3C-\uDF3F\uDF45]|\uD82F\uDC9C|\uD833[\uDC00-\uDCEF\uDCFA-\uDCFC\uDD00-\uDEB3\uDEBA-\uDED0\uDEE0-\uDEF0\uDF50-\uDFC3]|\uD834[\uDC00-\uDCF5\uDD00-\uDD26\uDD29-\uDD64\uDD6A-\uDD6C\uDD83\uDD84\uDD8C-\uDDA9\uDDAE-\uDDEA\uDE00-\uDE41\uDE45\uDF00-\uDF56]|\uD835[\uDEC1\uDEDB\uDEFB\uDF15\uDF35\uDF4F\uDF6F\uDF89\uDFA9\uDFC3]|\uD836[\uDC00-\uDDFF\uDE37-\uDE3A\uDE6D-\uDE74\uDE76-\uDE83\uDE85\uDE86]|\uD838[\uDD4F\uDEFF]|\uD83B[\uDCAC\uDCB0\uDD2E\uDEF0\uDEF1]|\uD83C[\uDC00-\uDC2B\uDC30-\uDC93\uDCA0-\uDCAE\uDCB1-\uDCBF\uDCC1-\uDCCF\uDCD1-\uDCF5\uDD0D-\uDDAD\uDDE6-\uDE02\uDE10-\uDE3B\uDE40-\uDE48\uDE50\uDE51\uDE60-\uDE65\uDF00-\uDFFF]|\uD83D[\uDC00-\uDED8\uDEDC-\uDEEC\uDEF0-\uDEFC\uDF00-\uDFD9\uDFE0-\uDFEB\uDFF0]|\uD83E[\uDC00-\uDC0B\uDC10-\uDC47\uDC50-\uDC59\uDC60-\uDC87\uDC90-\uDCAD\uDCB0-\uDCBB\uDCC0\uDCC1\uDCD0-\uDCD8\uDD00-\uDE57\uDE60-\uDE6D\uDE70-\uDE7C\uDE80-\uDE8A\uDE8E-\uDEC6\uDEC8\uDECD-\uDEDC\uDEDF-\uDEEA\uDEEF-\uDEF8\uDF00-\uDF92\uDF94-\uDFEF\uDFFA]/;
var Z = /[ \xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]/;

// node_modules/entities/dist/decode-codepoint.js
var c1 = [
  8364,
  0,
  8218,
  402,
  8222,
  8230,
  8224,
  8225,
  710,
  8240,
  352,
  8249,
  338,
  0,
  381,
  0,
  0,
  8216,
  8217,
  8220,
  8221,
  8226,
  8211,
  8212,
  732,
  8482,
  353,
  8250,
  339,
  0,
  382,
  376
];
function isInvalidCodePoint(codePoint) {
  return codePoint === 0 || codePoint >= 55296 && codePoint <= 57343 || codePoint > 1114111;
}
function replaceCodePoint(codePoint) {
  if (isInvalidCodePoint(codePoint)) {
    return 65533;
  }
  if (codePoint >= 128 && codePoint <= 159) {
    return c1[codePoint - 128] || codePoint;
  }
  return codePoint;
}
function codePointToString(codePoint) {
  return codePoint - 1 >>> 0 < 127 || codePoint - 160 >>> 0 < 55136 ? String.fromCharCode(codePoint) : String.fromCodePoint(replaceCodePoint(codePoint));
}

// node_modules/entities/dist/internal/decode-shared.js
var BASE91_INVERSE = /* @__PURE__ */ (() => {
  const table2 = new Uint8Array(127);
  let code2 = 0;
  for (let char = 33; char <= 126; char++) {
    if (char !== 34 && char !== 36 && char !== 92) {
      table2[char] = code2++;
    }
  }
  return table2;
})();
function decodeTrieDict(input, resultLength, atomCount, dict1AtomCount, ngramCount, dictSize) {
  const base2 = 91;
  const inputLength = input.length;
  const twoCharBias = dictSize * (base2 - 1);
  let pos = 0;
  const readSlotCode = () => {
    const c12 = BASE91_INVERSE[input.charCodeAt(pos++)];
    return c12 < dictSize ? c12 : c12 * base2 - twoCharBias + BASE91_INVERSE[input.charCodeAt(pos++)];
  };
  const dict2AtomCount = atomCount - dict1AtomCount;
  const slotCount = atomCount + ngramCount;
  const single = new Int32Array(slotCount);
  single.fill(-1, dict1AtomCount, dictSize);
  single.fill(-1, dictSize + dict2AtomCount, slotCount);
  const start2 = new Int32Array(slotCount);
  const length2 = new Int32Array(slotCount);
  function decodeDelta(count3, off) {
    let previous = 0;
    let slot = off;
    const end = off + count3;
    while (slot < end) {
      const code2 = BASE91_INVERSE[input.charCodeAt(pos++)];
      if (code2 < 89) {
        previous += code2;
        single[slot++] = previous;
      } else if (code2 === 89) {
        let runLength = BASE91_INVERSE[input.charCodeAt(pos++)] + 2;
        while (runLength--)
          single[slot++] = ++previous;
      } else {
        const next = BASE91_INVERSE[input.charCodeAt(pos++)];
        previous += 89 + // eslint-disable-next-line unicorn/prefer-minimal-ternary -- branches read a different number of side-effecting input bytes
        (next < 90 ? next * base2 + BASE91_INVERSE[input.charCodeAt(pos++)] : BASE91_INVERSE[input.charCodeAt(pos++)] * 8281 + BASE91_INVERSE[input.charCodeAt(pos++)] * base2 + BASE91_INVERSE[input.charCodeAt(pos++)]);
        single[slot++] = previous;
      }
    }
  }
  decodeDelta(dict1AtomCount, 0);
  decodeDelta(dict2AtomCount, dictSize);
  const references = new Int32Array(ngramCount * 2);
  let poolSize = 0;
  let ngramIndex = 0;
  function readNgramReferences(count3, startSlot) {
    for (let index = 0; index < count3; index++) {
      const slot = startSlot + index;
      const a5 = readSlotCode();
      const b5 = readSlotCode();
      references[ngramIndex * 2] = a5;
      references[ngramIndex * 2 + 1] = b5;
      ngramIndex += 1;
      start2[slot] = poolSize;
      const entryLength = (single[a5] < 0 ? length2[a5] : 1) + (single[b5] < 0 ? length2[b5] : 1);
      length2[slot] = entryLength;
      poolSize += entryLength;
    }
  }
  readNgramReferences(ngramCount - dictSize + dict1AtomCount, dictSize + dict2AtomCount);
  readNgramReferences(dictSize - dict1AtomCount, dict1AtomCount);
  const pool = new Uint16Array(poolSize);
  let write2 = 0;
  for (let index = 0; index < ngramIndex; index++) {
    for (let half = 0; half < 2; half++) {
      const source = references[index * 2 + half];
      const value = single[source];
      if (value < 0) {
        let read3 = start2[source];
        const readEnd = read3 + length2[source];
        while (read3 < readEnd)
          pool[write2++] = pool[read3++];
      } else {
        pool[write2++] = value;
      }
    }
  }
  const out = new Uint16Array(resultLength);
  let outIndex = 0;
  while (pos < inputLength) {
    let slot = BASE91_INVERSE[input.charCodeAt(pos++)];
    if (slot >= dictSize) {
      slot = slot * base2 - twoCharBias + BASE91_INVERSE[input.charCodeAt(pos++)];
    }
    const value = single[slot];
    if (value < 0) {
      let read3 = start2[slot];
      const readEnd = read3 + length2[slot];
      while (read3 < readEnd)
        out[outIndex++] = pool[read3++];
    } else {
      out[outIndex++] = value;
    }
  }
  return out;
}

// node_modules/entities/dist/generated/decode-data-html.js
var htmlDecodeTree = /* @__PURE__ */ decodeTrieDict("!}.&u%}'&}*'~!6*)%&,~!J~!J~%L~y<~!R,~~%Lu~~#GD~~#|)1#%}^%}2%+#.##%##%}&%##%'#%##&%#%#'%#&#%#&#'#%%#&#%##%#)%''%&%#%#'%#%%#%%}%%%#%#&(23#%%#&-%0%('1#(##%#'##+%'*.:1}#%#6-+(%'%%#%%%}#L'2351&('%}&/N'(0(/*-%(%%}#'+&T%7.2}#&%&#%#36/5##%&%%#&#%%#))2%%##%&&'0~!#*+&'%1~!%).'3q?&%'1~!.##%6(~!+%%%(Gw'rT~!E#<nA%#jZ~!H%(~!42##~!*31&~!G%U~#)5~#`3~!J~!Z~%]~%Y~%C~!q~!u~#kz~%#~!6'~!D~!U~!?~#T~!c%~!G#'~%7|~!G~!J~!G&~#pb~(Df}#%}*&}#%##%##%##&#-}&'#'&%#.++}%mI,#,@&(}*%}*'%&##&#%##%}&0}#.},U},%}+%}&%}#%##&}B%(}(%}+%)})%##%#&}&%##%&}<%}>%#%&}*%}(%}9%}/%})%}*%}*%}?&}&%}3%}&*#%})%#%#)}#&#-#+*%E%%'%'#%}#*V##&##I}#&&##%&%#&&Qf%%))w/0+&%#(#.%-''''++++7}>%4'',##1,#%#&%##&#'##&#*#9)%&%}#*}%,#+P(%A&%#'&##wSD',9E00#y#@}(+}&%&>~!#~!X}#*}(&&}(&}(,%}%&#+&}#&}I%#%}%)#(},'%#*}4%%#%}(''}#/##(##),%-##%%)#&}(.}&%#&}%%}*&#%},&&}&%}#%*'#%})%}D&}&%}-&}6&#&}-,%}#%})-(~+`~,=?~I9'9%~!,#%})%})%}@%}?%}(~!?~#<~#pP~#BG~#=1#%K+~#?#~%;)~#A~#mF1~#A'~'X%'~#lR~#N~'N~#r~#m#-~#i'?%#'%~#B%##%,%#~#_%#0%~#]732~,w~2+#:&#%&'0%&>%}#>##F+)#%&&#(+_}4&}-%}(&}@&}O7Fdf0@+/v4}&WU##&/0#&'('B#%}.%}'+#%}#%%&#&%#%##+#&#)#6#'#.},%}c%},%#%##%&#&%#&~#>'*-.%##%##%}#%%}%'~#)D1}#%*&~#_%%'(~#S2%'.}#~#=##*'*-%}&'%'##&&~'E%.#&~#M4}%%##&'%#~#O1##%&#'+~#<B%##%%'%+~#;#@%}#&%#&&%#(~#H1}'%'##&&~#?A}&'~#D#%32}'&&&&~#[}'(#%}'~#;C})&}%%#%~#=&%,3}%'(#%%~#^'#&&)#%'~#Y%-~#d-%'~#^%%&#&&&}#~#b~2t*&'~&(~&@~0%~e~3}%*''0})&}+~!9##-}#%-hD*)1fC#%/&/fB#40~!+#)*4~!+~!K'&:~!/*7~!.#~!H~!L':~%x&~!H#~!*~%1~!I#~!+A~#p'~!F~~#-#~,,(~.Z~!V~%;'B'mq-W~!N~%I%#&&#&}#%},%%}'%}+X#%}#&}(%}'%}<%}#%}%%'}'%}:~![)9@~%>~#UA%-%##&~!C%~!-.9:~!1~!-^2/:a~!y,D*J#-5)/4~%23,~#G~!L1~!0X3`~!2+~!!0-~&E~!W~!o,>Y&]~%cZx_&~#O*9#A#'#+I'%#)~!0B*-5A+-((F&*M#)(-7-5+'-3a5Vi~!Y~!?+[)%3),ERHm~!+:D,VG.+)?fB%%*(%)'(#&80%1'8`K8?`+'Z#&O&'H5#*9)A%%5&3))0%39+.*7#()&&*=4@**L)<'_&*+..;(#*+)./&0#3)%')-8(4ixD(&.}%,('aI:,)%,k2231T)I'#/-W7,/'Q#.'Y24+h')37</31&83##&0#),H(?'&?/1##%#&&#%''-%&&&#(&''&#.-'%#%%(,')*'&#&#'##%(%(#%('#&##%%%%('%#%#%%#%#&%##h>w+v<ayvyvcg.uuhKr}g/v|g>u9i[~>g5uI~=RvdwEg;v/g;uk!!TTSx]@RT!U!#!@VBRUU!'UTe-d0c`e&gSdicedFcrdTaqb.kYcAohdYd@a3e+d}dMdtd.aJ#bqcK`dle/e.e'dwdPdodddjbEb}ogd^ofdpduc6j?l%d{drdqc)d7bacOdQ%T#Y)X.sR[yH>6Vyv3[xwLu>vo'!*.[yBacahoj>6Rew3[xqdZa#!a&#^(X-[yG>6Vyu3[xvg3sEr|g.u/Ri9db0T#^(Xa)!-[y;>6Vylg4wKs{JwNZt3@3r=c4Z([xlg;wKt!cpq's@v7A'*a(a+!-a#[y<3Dt?3Dt'>6Vym3[xmg9rxsNJwLZt4~?r?db1T#`-!(Xa,!0[yS>6Vz%NuQs.g4wKtnJwNZtS@3r>c4Z([y%g;wKtrdga8!a(!#&T*Y-Xa#!a0<or[yc3Dtq>6Vz43[y3JwNZtf@3s!Ju}!%Dti:pm3c_%X#tjB5pkd6q!r]u?voC'*-a.a2!0a&a+[yI3DtI3Ds~3DtH>6Vyw3[xx;:s#~<5pKJwNZtE@3r~d`a)!a2T#a.(!+U.X1[yT3Dt`3Dtv>6Vz&3[y&g9rxwzcxstPu.<rAJwLZtT~?r@dZa%!a.&^*Za(/Reu[ya>6Vz23[y1g3sEr}wkg{NuQRg{ci(U#5@b`~,cg#U(2WnH5wugcRh7dX#T(Y,a'Ta!!a,[yZ<]mj>6Vz,3[y+Pv#5ReZKu+=,%!H}7ABwkaS?Rh:BcW(X#<]mrj:ubv/ARekdg%!(!a.*Ta(Y.X1!#sP>Rl*Dt6[y>>6Vyo3Wf*jOvuumvuRgRJuq*!:9<B@bX~3jVv&v@s@5Re[d/rQt{uAvo&a&a*)a2!,0Wf!3Dt0=Bs'>6Re}3[xy~<5s%JwJZt1~Gs)c;&!#2sJkNuXvzq7rxu,Re8dka4!a8(aEZ+a@Y.X1Xa)[yd=Bs(3DtP>6Vz53[y4cX#X&Re:avRe9~<5s&JwJZtQ~Gs*i^rzvdRg+Jv{%!2sbB@bX}kdga,!Za?&^*T1/!a'Dt+[y6>6Vyf3Wf%g/u;s4hGu6?Rh-JvZ,!c%#&RoX54Rivj7uyvf8RgTKvZB%*!2sGh<vu5Rgq<=C::9bb~#dZ#T&Ta6Y.X*Dt>[y93Wf)coZ(T,6VyifluvRgC@95@B@bX~/hFu34cC#T,k/unq8w8Q5RkUklwQuzunq8w8Q5Rk8d/rJu?v8w9)-&!a0a;a&aIWejg3sEr/h1s<DtDJvyZqY5aws3Jvy!&Wei~Hr1:au5@Bag>23E~5c:Z&bX};kKv?w&unuVu5Rjc;>bs)#~@:Rh.=ay<a]C;b`}Vd6s/t{uAvoaxa()!a,a7%-a#a2Dt,[yF2Wo[>6Vyt3[xuNuPRi&NuPwpi#RoWh?vf8Ri%Jv]!%Ri:KvxD!.'2WeAjZu`q9rxu,Re7woeAg-unLq(qA_/*2Wg_g3u5q^9:4E}/jTrxrzv=Wkkd~0UX#^^Xa-a1a5T&a=U1a'*aEa]!a*aPaA-adok[y54Rn>;:p3~Dp5g9rpsFNvZqjg3uJp4~<5p0Pw;5qlJwNZt*@3p1Pw:5p/Ou!5p2JvG'!6Vye=<qnJvh_[xhg3v,Rh3kOwOw-sDuev/Re^dha[a%!%!a+#Ta7)-5TaCaO!aka!a)sf[yb2>Rl!9ARiq5E}Qg=ucRkBE|oJrJ_@Wk~@Wk{JrJ_@Wk|@WkyJrJ_@Wk}@WkzJvO_[y2g-vMRmiKuYC!)&>Ri;>Ri<@3RkNc](X#@9Rk=g5vuRmhKvDB!+'=]meg3u4Rmgd)#Y'Vz3CARmfd`a+!%T'!+#Ta1Ta6TaM-sTDt9[yA9sYd'%Y#s[[xpj:ueunaXRgEjRq,v-vuqdd2'`#6Rev<32@5>:2<E}5xIo9a*X#Y(;5RePJvD_g>vyRgNj8w)v8<wggs:RgXiZt|vjx,hSq3ah!-(~@:Ro/Ou!5RhWj^v(pyw8unRhUdx-UY#^Ua.a3a70!)%UX1TaDa)'omRiRRhE[y:3Dsz=Br,>6Vyj3[xkg6ruwjcqsrPw;5r*Ku]D'Zt-@3r(~?r.i[vwv]dU1a--U#`a4(g/vsRhPOu!5RhLj:rmu9Wo!~@:wdh@g/vsRiTjXuvvNr}:RhBj^v(pyw8unRn]dz1UYa'a+^Y(!aETZalaRY.Ta?a4[yDJw1!#qLsW>6Vyrfzq-pLflpwRe|Js>%!Dt@3Dt&Jvy_[xs~HrnjMuwpsw'RecKu+D#'!t<~Grl~?rjg5u-x,gwp{ah!-(~@:Rg~Ou!5Rh'jXuvvNr}:Rh#cW#X/c;&!#2sLi[v7u7RgpJv)(!iLrxu,Re6j7v@s@5Se[e7d`aW!Za(a`T.a#!a3!&aDa-!9)Dt_=6s+3[x~~DR|h~DS6avhGun5RkZj3w)v-]mkKunB!&*]kb97R|i<ARk<c:Z(6Vy}Juh'!wziMRoS:F|vkLuauJv5vtvQRh1d='T+Y#VyO~DR|jcF#T'7R|g97R|kJv3'!ay<Rj,Jvh&!:ReXcsa6*a+#a#_aIRf9aLRf?c,Z&Rf5Rf7c.Z&Rf;Rf>cQ#%T'p-Rf8Rf=ct#%'(*!,p,Rf4p+Rf6Rf:Rf<d~'Ua%U*^UYa(!a,-!#a4YaTalaEX0a8a<Weo3Dt/3Dsx=Br93Wen~Dr;~<5p<JwNZt2@3p=Pw:5p;Ou!5r3c7&!#:p>3Ds}KvGB)_6Vyk2sM=<r7x'eovA(!hFu1ARf}cV#X&@r5j6rvwQa^Rf3c=Za'wkghJv__g;unRggA53B9=b^}%j6uduo5Jq;!(hIv%2Re`Ou4ARe_e%a#^^^Xa&!a*a2!&a6YaP!*ad!#a:aE/5Rn?[y@>6Vyp;:pE~DrY~<5pBJwNZt8@3pCh=rt3rWPw:5pAJup_[xoNuPpF9c!#'45pD5ARn)d8#X'X*3@rU72s]h>v<<sSjJpqvewOJq/(!hNw'5ReBk0s2u3w/w'5ReE5@Jq.!a+JQ!&WeU23d(#Y&RjG5]jBk!u7w&u0udARjEe#+^^^Ub#!a2/a`Z(agT1!a-a;|@TaG!aS[yV=Re~fow'RguNuPRe?bz#'>RoUWeL>:Cbb|?JwPZtVg6ruRmzJvD'!6Vz(g/vmRh~Jvy_[y(g9voRgyx*cy(#2>Ri2B9b]~9kIw9u7rluJu3Rg]dI#a%UY'@=p%CAx.gQZ&RhwwygtRm{x5g_Z'+ABqR9Woa=Bp&dV#^*Xa'!&@o{g4v]Rk;Jv{!%Rk[wkkiA5RkiwwfUB=x,fUuqC&*!>RfTg8v0RfV~ARfSd;rJsAuAv9wR'ae+/aO!a@aza/a#[yQ@Wg!2Wemg3sEr0JvB_g>uvReWg2v+Re=KupB_+[y!2AbY~-~Hr2AJwD!(h<~El>h<~El?Kun@+_:9b`}Kg-v/Ri3g;vtwyk_9]k_d=&T#*U.6qh@Ab`|K9:H|CJv[!&3Dtex'fDwC%!Rf[9WlMd[(^X,!a%Z06Vz!@WgBg=v~Rgvg,QRe@awd,#Y+jTv|Q~EfWj]uNr|~FRfXdy#Y&^Ua%!aO.!(a)Ua;=!a@aKap!a-,a!Ta]a[rSa]p?[y82sK=Bq~;:p:~<5p8Pw:5p7d'#Y'Wf(;RnRi[u4w&RgJJvG'!6Vyh=<r#ijuuv/sIKuYD'ZtG@3p9~Gr&d2#`(g<vtRgFj`u5w&rqpxRf2CJuY!+:wfnTOu!5Rg}jNs1ucv&RfwJvA!&3@q|BDcC#T,k/unq8w8Q5RkTklwQuzunq8w8Q5Rk9dga#!a'!a=#a0!:+Tb*b@aO.a4!aba8aFJv^}?!VyR~Dr<g;u%Rn.~<5p[x'e`wNZtR@3p]Pw:5pZhNvjBp.woe_g5u-r4JwF!%DtO3:ooc7&!#:p^3DtpLuGw(!+%)Dtk6Vz#2sd=<r8d'#Y([y#<x3gJt`w@!)%}MRiowzikRij=]ilxAf3,U(#B2Rf#g0v-Rm[ck{`U#]giKv3>)!&6Ri154s,KuGB_%@r68r:dJ|t`#X(9<E|u2@H|rx3gJu?w'!+'1Nu7Reg4=H~+9<wxgY95Rm]xLggZ-`(X}U2:Ri4h<uOawRmsJv__5@bb{jbV~3dka#a'a]!,#a+U=a>b6a3b%!/aKa/)!arwve^VyJ;:pR~DpTg3uJpS~<5pOPw;5qmPw:5pNOu!5pQJvG'!6Vyx=<qoJvA!{~Jup!%@qk7Rn/KvyD!}''[xz;>wkh'?Rh,x8gyt`w5D!&),(SgyccRgztJ@3pPB5p#d'(Y#<]mmifubw&RgoJvE&!82s^JvF&!8Rf,ADb]~;x=h'rNu]vK!,%'*0RnORh)4Rh*AqQg-vaRnNg;wHwkh'ba~4cE#Ta*x3gctyw@'!+%RnFRnD<4Rn@hFvK5RnCxWg[#`&a0Ua()`1Rm75Rg[c]%X#qi8Rg^NvdRj>BwzgZauwji7Rm6A4wgg]d1#&(*,.0a#Rm;Rm<Rm=Rm>Rm?Rm@RmARmBe%#^^^Xaea?aC/b+(,!a+a#!a/!>a&Ta<aKbD!2wphBRnk[yPw}hE|.=Br-3Dtm>6Vy~g6urRf.x,hPrNav!%'RnqRo%Ro#Nu;q[Pw;5r+JwNZtM@3r)d'#Y'Weh;xChL#`&RnmRnoKu}>%(!Rne~Bs-;2wjcussJv+'!aYSO}6@B<5?ba~8LrNvj!.%*ROwungw~ng~:9;Ri^>wtnig;wHRnixDh@|(UZ.x1h@|)!#:2<H|*xHn]#-UX'3Ro)z=iT}6ARns=Bwsn_wpnaRncw]aR(#UXa&Ua*a/=]iPd'#Y&Ro'WnXf{QRm2hNvj]nZd`'T~&1`{|`#9b]{}c:'!#Wl{>@=be}]?cl{{U#:5Abb}Jds#^YaF!a*b4a#a3aPa>&Tb!bH!*a_!Eau?/a&RjY<]gj>6Vz*;:pe~DrZg,QRj1JwNZtX@wihspcJvZ&!VyX9WmOJu|!|N2WmHJvh&!]ht~Bpbcn&T(!#RmQ<s7Nu;padH#X'`+WmJ@>RmKCARhnKup=!)&Wf+:RhqNuPpf9c!#'45pd5AwghpARn(Ls@w!%,)!RmP@Wfe<E|IJva!&WmNg8vsRmLd`*.`#Y'Xa!axRn*]hrA8Rhug5s@rXg8u!RmMd8#X'X*3@rV72smdI*#UY&RmICARho~GsgxVgd)Ta'U-Y&Xa!T#RnEWnA@Wffg1uDRi0hFvK5RnBxGnG&#`%owp)@wsf+bX}Ze-*1!a*^^^Ua|!#a.aq&Ya2!a>.a6!a:aO`aJDtL[y`@Wg#>6Vz12@wzoYRoZNuPRi!NuPRhzg=ucRi,@=b`{Yg=ucRi-ACJvB!&Sh[ebSh]ebi`wUuFRm4Jw2_[y0JvB!.<Ju(!&SoG}6Shd}6<Ju(!&SoH}6She}6Kur@._g5vHRieJvx!{L2G{Kx6gd'T#?Rh82Wi5cZ#X(g1w)Rm5dW-Y(Ta#!a)!#aYa=wnfE=su2>>bU{0j9udv:<svj8uQv-7RgHdE%#^'sq9sp=>Bb_{TJv`!&g/r|snj6v(us5d,#Y(56H}[978H}]Jw5!&g1rushJvB!+j;v{u5?zDhd}6}bj;v{u5?zDhe}6}ce*#`(^^^a[aea!=!a6a*aoXb1a.!aAbL!b>,b'aL!aV@Wf|2Wlg3[y/JwNZt^@3piPw:5pgJunZou3@rsJva&!Vy_g<v~Rm#JvG'!6Vz0=<r{Ju{%!:pj@WfsiXuJu3Rm:JvZ&!WfA~Bph@c4Z&Dtwax5rubx(#:awRk1@d,#Y&RfjRfid1#,Y(@Wfp2Wlrg5s@ryKu[@!,'=]ig9wlk?Rk>g5u-rqJvy'!@9RkQcH(T#=>Ri~@<wkj(Wj(KuZB*!&<7rw@9RkRcH(T#=>Ri}@<wkj)Wj)dg(Ta2Xa9X#`-!a*CARhg@@=I}d9x;c~#X%so=<sj>2@@=aybb}XjWv0Q~EfEj3vLv;<d,#Y(56H}`978H}_dgaPaFa'a/!#a3Y0a_a;a|!1(a7-[yE3[xt;:pJNvZrrg3uJrvJwNZt=@3pIh=rt3rxPw:5pGOu!5rpJvG'!6Vys=<rz@c4Z&Dt(ax5rtJvZ!&~BpH@wsfNg-vaRlNci*U#=<wei<F}a5@Jq.!a*JQ!%@qZ23d(#Y&RjH5]jCk!u7w&u0udARjFd/prq=tyvpaEa(a:.!a1aZ(@@=I}:9wpd%=<sX55w_h}@@=I{t=ay<aU@@=I}T=ay<2@@=I})?C9:9au@9Cb]}DP~=x-fAZ(2Wl1=ay<aU@@=I}>5@d##Y+jTv|vV~EfFj]uNpn~FRfGdgaK!Z2&!a8a-Tb({E!acTbM*!a(DtY[yYd'%Y#sl[y*hHvh>Re5x2c{Z}.j4uCvcawRiMd+#X+_x&d!},<5RkX;2Hzw@x,gavfB-!{CcF&T#Roe;RodwWbBg5urRgaKvHC*_6Vz+<4opieuew&Rmq@d]&Y)X,T#X0Rh}<BqP=4qS9:ReMg/ujReNJw0!/<Jui%!bd{kawwnemRelAxUa?a3#*.&UX(Ya+a/RhvRnQ<o}9Wmtd-#Y&RgSRmw9;Rmxay=Rmyg-vaRmuxEhSrNu,v-voC!%(aR.a(a7+1Ro1>Ro5CE{A9b]{@;5x#eO{:g;urRi+KrNA!%(Ro3>Ro79;Ri_Ku@>{;&!x%gX|{KunA_+g5QRj/g3u5Rj#g>uERj%wio/xRhS&!,!#^1U}wba{8>>@=be}qC@:D5ba{7Ku+A&!}x?ba}t>>@=be}se(aA^^^Uat!b0#{pa+awUazbGa#aLb9bgaWac'a5TbS=Br!d1#`%scp_Jvl!#rT>Re0JvX&!VyN=H{Fcm#U&:pY=ReaJv2&!]h0=]nUJvG'!6Vy|=<r%JrM_=]h2@Wlud'#)U'Wf'b]{i=]h/Jvh!&~BpWg=v]RnMx+ny#'Nu;pVwjnu=]nwxJnx,T#`&Reqwjnt=]nvieu9vrRjLLuYwP(#+!th@wih5pX~Gr'g5v/Rh4KunA'!-CARnP@wwiN:Rm_9x'cvw>!|l=<saKvAA!0&3@q}>w^e1bp#&Re2Re3BDx7gH#T|f5H|eKuZ>!%(:qNAH{]Jv6!+3B2B9=b^{X<5<B92:E{ZLvhwA(a;a%!igQuyRmad+#Y}m@3Rh5d8#X'X*:AqUAHzmaxwbh<aXRnVcF}RT#Nw&cj#U(BWnug/vsRntdka)(a3+.Zb7aYYan1!bVa@Xa}[y^@b[{G=H{+hFu73Rj&Pv#5ReQcK%T#sig1v{Rj'Ku+D#'!t]~Grm~?rkKuMB!01d5#`'Vy.ta3Dtu~Hroc8#'{^45s85AwZbP&!#Rn!wghxWn#KvEA!)&2RlA2RlBx:h|#(T,=]j09Wobz>x]z/@awRoTd+#Y(az]hFhCrm4d,#Y+jTv|Q~EfMj]uNr|~FRfOdCa!Xa9_X#@<plJvf!%b`{(9;Rgwc;.!#2x7cw#T|UDb]|T5Ju={(!=@E{&Jv)&!Ab`{'awJvf!~*>>@=be{#KuY>!+&4Ezyi[ugv&RjIdea+T)#UXa&T-T&a!Rh9auRmW=]kLg5vuRn+g3u4Rn-Ow6ARn,hHus5xNk?#UX(U~)/g8v0RkD~AwkkF?Ri.OuNBwkkA?Ri/d|a2`a*^UYa.!aBTZaTa'Xa;!(!2!-a#b2[yC>6Vyq3[xr2Wi?g1rusVh%s?DtF~<5rbJs;%!DtBfswKtCj[uvuSsEu3RgVx3o:u+wN'*Zt;@3rd~Grh~?rfg8w)Lq)qE&-a%!>bI|`jWv0vV~EfCjTv|vV~Ef@j]uNpn~FRfBcK#T']gWNu7x,k7q4ai(0!hHv8<RhmkMu9vrsBuev/RhlCJvB!,g<v{wchh~@:Rhji[vrv{wchi~@:RhkdS&a5UY#Ta!RgPwwiI5BwciI~@:Rh`x'iJvj'!5]iJPu8Bwch]~@:Rhach)U#h3rp]gLh@t|Ax,hTq3ah!-(~@:Ro0Ou!5RhXj^v(pyw8unRhVd|)`,^UYas!a?/a2Z'a^Ta{Tb7Ta(a#!a,Wf&9sZ3DtAadamov=Bqt3[xig8vsRm~>waiL2b`{QJv*_Ouv2qgj<v]v2BqfdR'X*X#Y-@3qr~Gqv~?p6hHv-]glPup5Lq+q?_%*b_{qF{n9b^{rOu4ARhpKvCD!+&~Bqp:5Dbb}nwoiKl&unuTuBv]v+ueunaXRf0=Jvh!0nKufu8v1w&w7q%w&uHrz:Rgnj5w,uxDJq/(!hNw'5ReCk0s2u3w/w'5ReFd>Za&!*UaA=<wkgsRnSJv^!%Refifw3vyRgOKu_B'!,<]gkiiu:w&Rh<=C@a^<B57@2F{[<B5@aW:=3away9A5aW=<B=C@a^<B57@2F{Ie-#`(^^^bCara.b8aza6!/bZ,!adTbnTbOb+aFaS!aAT9@Wf~2Wli3Dtl2@d,#Y&RfnRfmJwJZtN~GqyJva&!VyMg<v~Rm%iXuJu3Rm9Jv[_=]ih9wlkDRkCd1#`(@Wg>2Wls3cH#T(@<Rj*=>Ri|b~'#23s9h<~El.d'#Y&Dtxi^rzvdRl#d*#U%(o|B2s`hJwSaxRmDKv4B&!1:Rmdd5#`'Vx}to~Hq{x'f1v3(!BA5ba|bJv_&!Wfug1v]ReIdO+U/Y#&G}-8wze=Rh{g1v]ReHg/uQRf/by#)ibQwERl/cH#T(@<Rj+=>Ri{cNu+vlax-!(#a0qa9<Rii2;;bU{H;x<i=&X#Rk`<4wwi=C9H~8xAI(Y#<azRi@45wXI<B9;5bb~7dL(X#Xa(+!aL6Vy{g5QqOau:5au2@ay547EzbxOcU(UX-T#Ta#:Cbb|A?wjh/b_|SOw6ARgtihr}u7Rhy<d1#T)X1@@=I|~=ay<2@@=aybb}Sj3vLv;<d,#Y(56H}A978H}@dGpvs@uAu`vcw9*!aFa+ai%(b!aXa8.a?a[ozWey=sU2@G}Nch&U#Rf_WexKu+D#'!t:~Gr`~?r^j]uNr|~FRg*j^psurwJt|RmcKv)@&!)7Rkv~Br[@wxfO:Rl3co#U'6Rezj_q#vIuavjRltwzeyh@vr5JqD0!>aY?C9:9au@9Cb]}9cl#U*5;5<H||jbuus1ucv&Rfvg1v~d/pppzqFr^a--a~!aMat1(hFv;Wiz@@=Izoj5uuv-7Rix~Cw`fk2WlVcZ#X,k)u3vWs@u2]ktg;wEx'fBq(_2Wg/jTv|vV~EfoJv]!15x'hzqG!(P~EfU~CRl_j6v(us5x4i-#T(2WmZ?C2F|d>Kq<aj1!*jTqIsBv=Wl`~Cw`fi2WlWj`v0u*~>RlR=c>Z,k#u3vWs@u2]kr<c1Z+jTqIsBv=Wla~Cw`fm2WlXdmb3!a{(arZa`bkTa%TbQTa-a9+c'!aM!/[yL=Bqug.w'RifhFvyDRj.g>vgwyk^9]k^Jv3_@WfbAARkhJw2_[x|JvB_wkoIRoKwkoJRoLd'(Y#<]gm=<9<H|yd'%_X#skDtb3awwqkgNulRkgdB#^',9:p'hJwSaxRmEBwVb8@4=H|qLu+w50&!)@3qs~?pU>Awwn;;Rn=c:Z'ARn<=<qwKvC@!/&~BqqJv6!&]eVb^z^xRge'/a%+^`#Sge}6<4Rn3=]n0Pw2>Rn8Jw0!&>Rn:>Rn6cY#a7+!a&=<wkaNw~h3z_c5Z{=wjh#=]nLKv^D!&)Vyz=bW|swYb<WetcG#T(2wxa@qVx@gD#Y&b^|V5JwG&!5bb|pg/w&RgD@x=kHs=uAvn!a%%/'+RmSRh694Ro`g-vaRmRhHv-]mlxCcS#`&ba~.5cD#Ta)P~=d,#Y(56H{>978H{Dd_#{2^Y%_+qbbb{6g3sERhsbU{?dfa.,`a(Xa<!aiX#(55RiG54RiHcI#T'WiU3RiVNvdwtfcRlKNvdd,#Y&RlHRlExQgf.1*^T'X#Sgf}6Wn4=]hfPrk>Rn7Jw0!&>Rn5>Rn9Lunw?&a2!,5<oq@@wqfdRlJj5Q~=d,#Y(~ARfcOuN]fdDKw;ay(}i!547E}j?cI#T(@5bV}iCbV}hdv(^^Tb?a40,b##Tbo!a*bR!a<b|a/!aKai!aU[yK=]o^g:v>ReGJwPZtK<7Rh+h<~El,Pv#5ReR@awwxjCg,ulRjDJv6&!]j!z?aQeeg>w=Sh<eeJw;!&axEzOg,Qosc!#*:wkeJ]eJ>x'h-u(!%Ro.w~h.zPdNZ(X,Ya![x{;9ReY;wkgxRiF:x?ap#Y&RmUg<s2Rkod]+UY0TZ'!a&A9sw<=bczLNvuw{gqzNhJwSaxRmCKuLay!#&s_Rf-55b^{uJvZa!!c%#(55Ri654wmiu5RiuawLu,vp!+}^%b_}Y9;wkgxba}o>A9:=b^}zKuh=a''!3awRk3c*'!#aHRk6c+Z&Rk5Rk4Jv)&!awRjSawd9*`#0?C2@EzMj8u<uJ5RmbjQrquJu3x,k>uq@_+=ayb^|W~ARkEOuN]k@7dhzV^X/X&a-#zRzSb`zXcJzTT#2WkVKvDBzW!%FzY9;5bbzWjQrquJu3Jw3%!b`zU=ayb^zQd:#X(T-a!6Vyywxh}=b]{Jg=u1RiAdGp~qHtzv!w(wA+a+a;<!aJaYai'anasb(=azRmV:Cbb{MLq2vb!%')RjuRjrRjtRjqx3jnqCw3!%')Rk(Rk+Rk&Rk)Lq2vb!%')Rj{RjxRjzRjwLq2vb!%')RjsRjpRjfRjex3jcqCw3!%')Rk'Rk*RjkRjl9<CbbzfOu4ARhxLq2vb!%')RjyRjvRjhRjgx=joq*uKvb!%')+-Rk.Rk%Rj~Rk-Rk#Rj}x=jdq*uKvb!%')+-Rk,Rk!Rj|RjmRjjRjidAq&qKs@uAv8Aa.'*-a@a&0!aM@a5[y73Dsy3Ds|3Dt):wxgI2sHJwJZt.~Gqxwsf0ikrzt}Rl0Jvy_[xj~HqzKv_A|D!&WfP8axRoVcf,U#k(v]v+ueunaXRf1Ju}'!g8u#Ri=jQw!sCunLprq>!,')~<5qeGzq9F{W=c##%s5au:5aU3CBE|;d4#X(D!a&6Vygx(b;#(=]ed?C2F{N<capoq2r[a&!aPa9,'Pw;5s:@@=I|,55w_h|@@=IzcP~=x'fCqB_2Wl2>aU@@=I|1OuNBc1Z+jTqIsBv=Wlc~Cw`fl2WlZ~AcTa%!Z+jTqIsBv=Wlb~Cw`fh2WlYk+uNqJsBv=WlSg,u3dca3#UXaMYa)TaB-=cM|7T#<bI}l5@B932:aV2G{BOuNBJq:|M!5Ezt=<B=C@a^<B57@2F{v>cB{/T#=ay<bI{3Jv6!a.6BKq0ah&+!5E}HP~Ef{978BaU@@=Iza<7d#.Y#978BaU@@=IzH~AJq0!(@@=IzG978BaU@@=IzFe,aU*Y&^^^bvJb,b:bFad!a,c2Ta>aL.bo6!a#CbTa'T#Re{2Wlh2@G{yg6t~Ro_NvdRfticuRQRllJv3&!x&c|zs@Jw3!%RflwpfkRlpKuL;%(!Re<@G|C2GzdhIvuBwgjAg-u0RjAKQB%!(GzZ@G|5NuuRl7d='T+Y#Vy[g<v~Rm!==G|>JvA!)@wma=]m1ifuaw&RmnLs@vT'!|/+[y,g:v>ReTJw1!#qX=x!eC{bLu+wT&)ZtZauq_~Graci&U#F|89:r_Lupvq!.)&2RlG8RfaC=x!eF{_h?rpWlmd&'!#X|&]k::xJey#`'T|+<E|&2@H|%dE#(^,g;u.RiEg6vjRiC9xCkA{O|zY#g=ucRmXKs0@!&*@G|m@awRknJuh!,3d(}gY}eJvj!%Rm):Jw3!%Rm+Rm-Ls0w(&!a(a#@b[|6cZ#X'7RkxWgAOu4ARn'dH'U#Y*Vz-Wm'CARm}d]*#a%^a*T'aK!a<9bV{PC=p*Jw4!&SgxcbB5r]idw(wBRmF7xFkt#&`(Rm/Rm8E|!JuY_9:Rl5=wrgr2:bbxd@xXfB(a*#T+!.X0X1Ta/a'T&RlDRfL>RlyARl9b[z[>RfZ:RlL:RfRwlg/ARl;9;RlxKv,A/!%7s69<74=BA5ba{-8Bde#`a<XaKYa1,a'P~=wxfB2bZ}}?C972@@=I}r8@55B9;5bb}G978B2@@=aybb}3j3vLv;<Jw3&!>Rfk=ayb^}4~Ad1#`*@@=aybb{w2@>==<bbz]dx+UY#^UaF!a9!bB'Ya1.!ajXa#%olRhD[y=3Dt#Ov5BrHKuMB%!(Rf^Wep~HrJwkiQjKr|~FRg)Ku+D#'!t5~GrF~?rDdV)UY,Z/_7RkuG{<~BrBg,rlsO:235B@bX}|d?a1!#`(6Vyn5@d##Y+jTv|vV~EfIj]uNpn~FRfH7Lq2vb1!a9-978BaU@@=Iz9978BbU}#~AJq0!(@@=Iz8978BaU@@=Iz7~AJQ|}!978BbU}!JvkaK!AdUa21-U#`a+(g/vsRn~Ou!5RPj:rmu9WhOjXuvvNr}:RhAj^v(pyw8unRn[kPr}p|u7vwv]RiSBd;pppzq@qHQa?(b.!a.a`@.|xa(hFv;Wiyj5uuv-7Riw~Cw`fg2WlU978BbU|wOuNBJqG!(P~EfD~CRlQcZ#X,k)u3vWs@u2]ksg;wEx'f@q1_2Wg.j]uNpn~FRfqJv]!15x'h{qG!(@@=IzK~CRl^j6v(us5x4i,#T(2WmY?C2F{1>Kq<aj1!*jTqIsBv=Wld~Cw`fj2Wl[j`v0u*~>RlT=c>Z,k#u3vWs@u2]kq<c1Z+jTqIsBv=Wle~Cw`fn2Wl]dn1#c(a(b^a2!b/bAT(bj!aDa7bu,a_a{c0!2T0g:v>ReD2@G{42@G{5~DpM~<5rc=Bx6i>{RT#RnI@zCx]y]z:2Jv[!zr5Awyk]9]k]dD(Y+X#6Vz.g=wKtgwhaCwgmTWj2Lu,w%_+/[y-B;b^xeg3u3Rj-2@bX{*KrJ<!+'@Wg(g?QRlC@Jv`!%b[zIwsfII}8JQ_@w|kW|=Jv(%!AqcOuNBJvEzh!bYzjLs@wP#(0!oy@>RkdJwMZtc3Dtd@BcG#T'9bWxg2@2Fznd*#Y+;2x'c}w<zizixNgwa#Z'U+!/!a'!a+w~g~z6wcn{Rn}wcnzRn|5Rh%=]nJg5vuRmvNvdRlvcprJu}w*az*a#!%.a.'Bot9qT]kj@Wg'ay2Gzv@Jv`!%b[zEwsfHI}1;ck#Ux`<Cbbx_Lu+w!a&0*!wko*wwo,So,}6Juqxf!E}PigQuyRm`d3(`#8>Rn%:A5B;bZ~%KvhCa!a2!x>k7#Uxb@b{#xaRk7Jw0!)>wwhlShl}6>wwhmShm}6CJvB!.x'hhvj{!!5Bwkhhbaz}x'hivjz~!5Bwkhibaz|xEhTrNu,v-vpD!a%&/)a3a.,%Ro2t[CE{)@3re9b]{%wjo09:rgc:Z&Ro6=<riifuaw&RmoKrNA!%(Ro4>Ro89;Ri`dSaL'UYzxZb)7Rka3xRhT&!,!#^1U}vbaz{>>@=be}yC@:D5bazzKu+A&!}{?ba}y>>@=be}wxBh[t`u~vJvr!%a!a()a,a0a4RoC=]o;Ju(!%RoGRhdwjh`=]oAg>w#Ro?g5vuRo=NvdRl|Ku]C.!&;RoEJvB!%RoORoMBx'h[v+_?w~h`}~5?w~hd~!xKh]oiptu-utv.vp!#%&a30a@a'a+(a/aOp(o~p!RoDJu(!%RoHRhewjha=]oBNvdRl}g>w#Ro@g5vuRo>c[#X']o<CauRoRAd-#Y':RkpauRoQKu]C.!&;RoFJvB!%RoNRoPBx'h]v+_?w~ha}t5?w~he}ue!/UbhYacXaW^Tc&a;b:a-c/#b&aja1(!cL+!bKbt!bmcRc9aIc?8[yW3Dtt94Rg`Jv}!&SiRMzBhEebShEMNuPRe>x7gL#TzuwjirRipc<Z&>on;>z=h-MSh.Mwqczx'a7vj&!>Re4@=ResJt__NuPRi*NuPRi)j]uNr|~FRfzKrJ>_+@Wfy@Wf]2WocKrJ<!+'@Wg%g/QRl@@Jv`!&awRl<wsfFIzgLu(w*!.*&ShBMwvhIRhI9;RhNx1hK'!#Sn]Mx1hK~0!#:2<H~7cNu+w7D*'1ZtW>Rn1~?rOc:Z&Rn2=<rQ<7wjh&=BSnLMc]#X(6Vz)w[b=a!U#9wzgMc3#&(RgMRitRis<x,gKt`ax!&+SioM=BSilMc3#&(RgKRinRimKurB,!&SiQMzBhDebShDM6BJQ!(P~Efx978B2@@=I}WLrJw!!,a*&@G}O@9wkibRid@@x'fKwC!&SlDMSfLMjUv~Q~EfKKv3@a+!(hFv-]mpx/hYZ(C5RiWz<o/MwkhY?So/M@x,gbvfB*&!SgEM:SoeeehFu3:Rgbda(,^TZa)X/7Sg[eb:2RgI~BrMC@wgkc:wwkcRerx3h(uUvK!&*,SnOM4Sh*MArRg;wHRh(x=h;rJvPwI!a4',a'0@Wg&=BSh/Mg>w=Rh=g3w*wwgGRgGcW(X#;Sg}M2Gzk@Jv`!&awRl=wsfGIz`dKZ*T'Y-:RhR7RhQg5u-p`j6v(us5d,#Y+~Awkia?RicOuNBwkibba}Ld6p~tyu_vbAa'a+!a/'a3aEa8a!>Sh,ebJv{!&Sh@ebSaReb9;SgwebNuPRi(NvdRl)NuPRi'hHu^<Rm^Jvv_@Wl(g;u1Si/ebKu'B&!*Sh?eb@Wl'z@aPeb95Si.ebcpputyvjB)!,&a+0a%ShAMWeK@G}C@WfJ9;RhMwvhH9w{ia}ix,hJvRA1(!zAn[MRhHx1hJ~*!#hFv(BSn[MBJQ!(@@=I~'978B2@@=I}2db.Ua<'X}+T#a0XaG2G}E;wkg|wuh!Rh!x,hZu,@)!&So0MVy)C5RiXACJvB!&5RiY5RiZg8w)cG}*T#2@bU}=KsA>(!a.3wkhZba~(x,h^u(A!&(SoCMRhb5Bz=h[eb?w~hb~6x,h_u(A!&(SoDMRhc5Bz=h]eb?w~hc~6e)aA1T#T,^^^c-bMb&blcPaP(a/!0!bA=b5c@a(!bfbrc#2afwmhARnjwchORnp2Wlf3DtsNvdRl-2@wpa<]m0bx(#:awRk2@Jw3!%RfhwpfgRlnKQB%!(G{V@G|'NuuRl6d='T+Y#VyUg<v~Rl~==G|<Jv+'!aYShC}6@B<5?ba~8@Jw3'!g2QRljhLrpWlOd+#Y'g.w'rIg>w*wgj@g-u0Rj@Lu+wT&)ZtUauq]~GrGci&U#F|39:rELrNvj!.%*RhCwunfw~nf~:9;Ri]>wtnhg;wHRnhx3hDs@v~!/+'@Wfr@9RkSNu&Rlo=@<5GzoKs0@_+@Wl+@awRkmJuh!-3d(}pY#qWJvj!%Rm(:Jw3!%Rm,Rm*de&!1U-U#`)Re;@G|.@9Ri82@wjfvRlq=@<5GzpLvOvr!).&2RlF8Rf`C=x!eE{.Jw3_g2QRlkhLrpWlPde(!#U{s,UXa*Ta'[y'g:v>ReS;x0PZ&RnlRnn~HrKJw1}f!=x!eB|2w]aP(#Xa&a*Ta.Ua2a7=]iOd'#Y&Ro&WnWg;u.RiDg6vjRiBNvdRlzhNvj]nYJuW_2Wm3x)kFze{9d])!a.!,Y01!#&aC!a3RndC=ox~BrC@2b^{pg,rlse7x'ksuq!%Rm.E{xidw(wBRmGx9o+)X#wwo-So-}69:Rl4@xSf@a#XZ'X)X,Ta(/ARl8b[xc>RfY:RlI:RfQwlg.ARl:9;Rlwdn'#^XafaQa1X1TaHTa)@b[{zcZ#X'7RkwWg@Ou4ARn&x)kG#{,g7u/RkGdH'U#Y*Vz'Wm&CARm|bx#(A]gUbUzJj9Q~=d,#Y(56H}l978H{U7d,0#U*2>ABb_xZ978BbU{e~AJQ{g!978BbU{hxMh?ad{oUYZ.x1h?{l!#:2<H{mx3n[t{vl!,&a%3Ro(z=iS}6ARnr=Bwsn^wvn`Rnbd`*T}B0!#^X'BG{c9b]{a>>@=be}F?JvS!&BG{d7BG}(Bde#`a1X,Ya@!a'P~=wxf@2bZ}I56B2@@=aybb}08@55B9;5bb}<j3vLv;<Jw3&!>Rfg=ayb^}&OuNBKuLA!)a!P~=x#fD{f2@>==<bbzl?C972@@=Ix^d6rSu,v7w*C(0a)a6#B+a%!sQ[y?3Dt%3[xn~<5rLOu!5p@Ku+D#'!t7~GrP~?rNKvlaya7'!h+v-5qMg=t|cd,U#5AAaa5Abb{S@52B5@a[@52B5Gx[iXueu;d<#`a(!/549C;ag>23ExY5@Dah89b^~689Jv)!~2b[~1Lv'w(%*!a#bX|aPrmawRe]keu7uhv-q6rxu,q`xTo]/a5aU!bNaDXbi!b-!ao!b<bwA!#5@B932:aV2G|:d-)Y#hJrL>RhG<7@C5<H|_=Cau:5aj5@B932:bJ|ng>vIbs)#?C2F|9jPv0w.vISh-MKvUaz(.!9ABbb|[5;5<H|Eg>unwfh;9:4E|YjQsBt|vjx'hYq3!(?C2F|J:2<BaY?C2F|GOu!5x,g|p{ah!-(?C2F|c9:4E|OjXuvvNr}:Rh&i[w*t|cd+U#jJvsu)vsSn~Mkfrmu9p}u7vwv]So!McW#Xa!ax5@A5aY:5;5<H|>kJv~vYrquJu3x4ib#T)2@SmZM?C2F|Bj:rmu9@xPhI(a*a#U#`a3-5Abb|L~@:RhK9:4E|0@52B5G|#C::aY?C2F|-:2<BaY?C2F|.5Jvk!a)javYrquJu3x4ia#T)2@SmYM?C2F|HAxPhH(!a#U#`a*-5Abb|4~@:RhJ9:4E|R@52B5G|F:2<BaY?C2F|Sc^#Xa2j=Qq5CJvB!-g<v{z;hhM?C2F|Zi[vrv{z;hiM?C2F|XKsA>!a)-g<v{z;h[eb?C2F|]i[vrv{z;h]eb?C2F|^iZu.vix,hZq3ah!.(?C2F|QOu!5ShXM:2<BaY?C2F|P", 13494, 2713, 49, 25, 61);

// node_modules/entities/dist/internal/bin-trie-flags.js
var BinTrieFlags;
(function(BinTrieFlags2) {
  BinTrieFlags2[BinTrieFlags2["VALUE_LENGTH"] = 49152] = "VALUE_LENGTH";
  BinTrieFlags2[BinTrieFlags2["FLAG13"] = 8192] = "FLAG13";
  BinTrieFlags2[BinTrieFlags2["BRANCH_LENGTH"] = 8064] = "BRANCH_LENGTH";
  BinTrieFlags2[BinTrieFlags2["JUMP_TABLE"] = 127] = "JUMP_TABLE";
  BinTrieFlags2[BinTrieFlags2["VALUE_MASK"] = 8191] = "VALUE_MASK";
})(BinTrieFlags || (BinTrieFlags = {}));

// node_modules/entities/dist/decode.js
var CharCodes;
(function(CharCodes2) {
  CharCodes2[CharCodes2["AMP"] = 38] = "AMP";
  CharCodes2[CharCodes2["NUM"] = 35] = "NUM";
  CharCodes2[CharCodes2["SEMI"] = 59] = "SEMI";
  CharCodes2[CharCodes2["EQUALS"] = 61] = "EQUALS";
  CharCodes2[CharCodes2["ZERO"] = 48] = "ZERO";
  CharCodes2[CharCodes2["NINE"] = 57] = "NINE";
  CharCodes2[CharCodes2["LOWER_A"] = 97] = "LOWER_A";
  CharCodes2[CharCodes2["LOWER_X"] = 120] = "LOWER_X";
})(CharCodes || (CharCodes = {}));
var TO_LOWER_BIT = 32;
var CONSUMED_SHIFT = 21;
var CODE_POINT_MASK = 2097151;
var CONSUMED_OVERFLOW = 2047;
var longNumericConsumed = 0;
function unpackConsumed(packed) {
  const consumed = packed >>> CONSUMED_SHIFT;
  return consumed === CONSUMED_OVERFLOW ? longNumericConsumed : consumed;
}
function isNumber(code2) {
  return code2 - CharCodes.ZERO >>> 0 <= 9;
}
function isHexadecimalCharacter(code2) {
  return (code2 | TO_LOWER_BIT) - CharCodes.LOWER_A >>> 0 <= 5;
}
function isAlpha(code2) {
  return (code2 | TO_LOWER_BIT) - CharCodes.LOWER_A >>> 0 <= 25;
}
function isEntityInAttributeInvalidEnd(code2) {
  return code2 === CharCodes.EQUALS || isAlpha(code2) || isNumber(code2);
}
var EntityDecoderState;
(function(EntityDecoderState2) {
  EntityDecoderState2[EntityDecoderState2["EntityStart"] = 0] = "EntityStart";
  EntityDecoderState2[EntityDecoderState2["NumericStart"] = 1] = "NumericStart";
  EntityDecoderState2[EntityDecoderState2["NumericDecimal"] = 2] = "NumericDecimal";
  EntityDecoderState2[EntityDecoderState2["NumericHex"] = 3] = "NumericHex";
  EntityDecoderState2[EntityDecoderState2["NamedEntity"] = 4] = "NamedEntity";
})(EntityDecoderState || (EntityDecoderState = {}));
var DecodingMode;
(function(DecodingMode2) {
  DecodingMode2[DecodingMode2["Legacy"] = 0] = "Legacy";
  DecodingMode2[DecodingMode2["Strict"] = 1] = "Strict";
  DecodingMode2[DecodingMode2["Attribute"] = 2] = "Attribute";
})(DecodingMode || (DecodingMode = {}));
function determineBranch(decodeTree, current, nodeIndex, char) {
  const branchCount = (current & BinTrieFlags.BRANCH_LENGTH) >> 7;
  const jumpOffset = current & BinTrieFlags.JUMP_TABLE;
  if (jumpOffset) {
    if (branchCount === 0) {
      return char === jumpOffset ? nodeIndex : -1;
    }
    const slot = char - jumpOffset;
    if (slot >>> 0 >= branchCount)
      return -1;
    const stored3 = decodeTree[nodeIndex + slot];
    return stored3 === 0 ? -1 : nodeIndex + branchCount + stored3 - 1 & 65535;
  }
  if (branchCount === 0)
    return -1;
  const packedKeySlots = branchCount + 1 >> 1;
  const branchEnd = nodeIndex + packedKeySlots + branchCount;
  for (let index = 0; index < branchCount; index++) {
    const packed = decodeTree[nodeIndex + (index >> 1)];
    const key2 = packed >> ((index & 1) << 3) & 255;
    if (key2 === char) {
      const pointerIndex = nodeIndex + packedKeySlots + index;
      return branchEnd + decodeTree[pointerIndex] & 65535;
    }
    if (key2 > char)
      return -1;
  }
  return -1;
}
function readTrieValue(decodeTree, nodeIndex, valueLength) {
  if (valueLength === 1) {
    return String.fromCharCode(decodeTree[nodeIndex] & BinTrieFlags.VALUE_MASK);
  }
  if (valueLength === 2) {
    return String.fromCharCode(decodeTree[nodeIndex + 1]);
  }
  return String.fromCharCode(decodeTree[nodeIndex + 1], decodeTree[nodeIndex + 2]);
}
function parseNumericEntity(input, numberStart, inputLength) {
  let offset = numberStart + 1;
  let cp = 0;
  let digitStart = offset;
  if (offset < inputLength && (input.charCodeAt(offset) | TO_LOWER_BIT) === CharCodes.LOWER_X) {
    offset += 1;
    digitStart = offset;
    while (offset < inputLength) {
      const char = input.charCodeAt(offset);
      if (isNumber(char)) {
        cp = cp * 16 + (char - CharCodes.ZERO);
      } else if (isHexadecimalCharacter(char)) {
        cp = cp * 16 + ((char | TO_LOWER_BIT) - CharCodes.LOWER_A + 10);
      } else {
        break;
      }
      offset += 1;
    }
  } else {
    while (offset < inputLength) {
      const digit = input.charCodeAt(offset) - CharCodes.ZERO;
      if (digit >>> 0 > 9)
        break;
      cp = cp * 10 + digit;
      offset += 1;
    }
  }
  if (offset === digitStart)
    return 0;
  if (offset < inputLength && input.charCodeAt(offset) === CharCodes.SEMI) {
    offset += 1;
  }
  if (cp > 1114111)
    cp = 1114112;
  let consumed = offset - numberStart;
  if (consumed >= CONSUMED_OVERFLOW) {
    longNumericConsumed = consumed;
    consumed = CONSUMED_OVERFLOW;
  }
  return consumed << CONSUMED_SHIFT | cp;
}
function decodeWithTrie(input, isStrict, isAttribute) {
  const decodeTree = htmlDecodeTree;
  let offset = input.indexOf("&");
  if (offset < 0)
    return input;
  const inputLength = input.length;
  let chunkStart = 0;
  let result = "";
  const root = decodeTree[0];
  const rootJumpOffset = root & BinTrieFlags.JUMP_TABLE;
  const rootBranchCount = (root & BinTrieFlags.BRANCH_LENGTH) >> 7;
  do {
    const entityStart = offset + 1;
    const firstChar = input.charCodeAt(entityStart);
    let consumed;
    let value;
    if (firstChar === CharCodes.NUM) {
      const packed = parseNumericEntity(input, entityStart, inputLength);
      consumed = unpackConsumed(packed);
      if (isStrict && consumed > 0 && input.charCodeAt(entityStart + consumed - 1) !== CharCodes.SEMI) {
        consumed = 0;
      }
      value = consumed === 0 ? "" : codePointToString(packed & CODE_POINT_MASK);
    } else if (isAlpha(firstChar)) {
      consumed = 0;
      value = "";
      const rootSlotIndex = firstChar - rootJumpOffset;
      let nodeIndex;
      if (rootSlotIndex >>> 0 < rootBranchCount) {
        const stored3 = decodeTree[1 + rootSlotIndex];
        nodeIndex = stored3 === 0 ? -1 : rootBranchCount + stored3 & 65535;
      } else {
        nodeIndex = -1;
      }
      let bestNodeIndex = 0;
      let bestValueLength = 0;
      let current = nodeIndex < 0 ? 0 : decodeTree[nodeIndex];
      let index = entityStart + 1;
      trie: while (index < inputLength) {
        while (
          // Value-less, non-run node with a nonzero jump offset.
          (current & (BinTrieFlags.VALUE_LENGTH | BinTrieFlags.FLAG13)) === 0 && (current & BinTrieFlags.JUMP_TABLE) !== 0
        ) {
          const jumpOffset = current & BinTrieFlags.JUMP_TABLE;
          const branchCount = (current & BinTrieFlags.BRANCH_LENGTH) >> 7;
          if (branchCount === 0) {
            if (input.charCodeAt(index) !== jumpOffset)
              break trie;
            nodeIndex += 1;
          } else {
            const slot = input.charCodeAt(index) - jumpOffset;
            if (slot >>> 0 >= branchCount)
              break trie;
            const stored3 = decodeTree[nodeIndex + 1 + slot];
            if (stored3 === 0)
              break trie;
            nodeIndex = nodeIndex + branchCount + stored3 & 65535;
          }
          current = decodeTree[nodeIndex];
          index += 1;
          if (index >= inputLength)
            break trie;
        }
        if ((current & (BinTrieFlags.VALUE_LENGTH | BinTrieFlags.FLAG13)) === BinTrieFlags.FLAG13) {
          const runLength = (current & BinTrieFlags.BRANCH_LENGTH) >> 7;
          if (input.charCodeAt(index) !== (current & BinTrieFlags.JUMP_TABLE)) {
            break;
          }
          index += 1;
          const remaining = runLength - 1;
          let wordIndex = nodeIndex + 1;
          let charIndexInPacked = 0;
          for (; charIndexInPacked + 1 < remaining; charIndexInPacked += 2) {
            const packed = decodeTree[wordIndex];
            if (input.charCodeAt(index) !== (packed & 255))
              break trie;
            index += 1;
            if (input.charCodeAt(index) !== (packed >> 8 & 255))
              break trie;
            index += 1;
            wordIndex += 1;
          }
          if (charIndexInPacked < remaining) {
            if (input.charCodeAt(index) !== (decodeTree[wordIndex] & 255))
              break;
            index += 1;
          }
          nodeIndex += 1 + (runLength >> 1);
          current = decodeTree[nodeIndex];
          continue;
        }
        const valueLength = current >>> 14;
        const char = input.charCodeAt(index);
        if (valueLength !== 0) {
          if (char === CharCodes.SEMI) {
            consumed = index - entityStart + 1;
            value = valueLength === 1 ? String.fromCharCode(current & BinTrieFlags.VALUE_MASK) : readTrieValue(decodeTree, nodeIndex, valueLength);
            break;
          }
          if (!isStrict && (current & BinTrieFlags.FLAG13) === 0) {
            consumed = index - entityStart;
            bestNodeIndex = nodeIndex;
            bestValueLength = valueLength;
          }
          if (valueLength === 1)
            break;
        }
        const next = determineBranch(decodeTree, current, nodeIndex + (valueLength || 1), char);
        if (next < 0)
          break;
        nodeIndex = next;
        current = decodeTree[nodeIndex];
        index += 1;
      }
      if (value === "") {
        const finalVL = current >>> 14;
        if (finalVL !== 0 && !isStrict && (current & BinTrieFlags.FLAG13) === 0) {
          consumed = index - entityStart;
          bestNodeIndex = nodeIndex;
          bestValueLength = finalVL;
        }
        if (consumed > 0) {
          value = readTrieValue(decodeTree, bestNodeIndex, bestValueLength);
        }
      }
    } else {
      consumed = 0;
      value = "";
    }
    if (consumed === 0 || isAttribute && firstChar !== CharCodes.NUM && input.charCodeAt(entityStart + consumed - 1) !== CharCodes.SEMI && entityStart + consumed < inputLength && isEntityInAttributeInvalidEnd(input.charCodeAt(entityStart + consumed))) {
      offset = entityStart;
    } else {
      if (chunkStart < offset) {
        result += input.slice(chunkStart, offset);
      }
      result += value;
      offset = chunkStart = entityStart + consumed;
    }
    if (input.charCodeAt(offset) !== CharCodes.AMP) {
      offset = input.indexOf("&", offset);
    }
  } while (offset >= 0);
  return result + input.slice(chunkStart);
}
function decodeHTMLStrict(htmlString) {
  return decodeWithTrie(htmlString, true, false);
}

// node_modules/entities/dist/index.js
var EntityLevel;
(function(EntityLevel2) {
  EntityLevel2[EntityLevel2["XML"] = 0] = "XML";
  EntityLevel2[EntityLevel2["HTML"] = 1] = "HTML";
})(EntityLevel || (EntityLevel = {}));
var EncodingMode;
(function(EncodingMode2) {
  EncodingMode2[EncodingMode2["UTF8"] = 0] = "UTF8";
  EncodingMode2[EncodingMode2["ASCII"] = 1] = "ASCII";
  EncodingMode2[EncodingMode2["Extensive"] = 2] = "Extensive";
  EncodingMode2[EncodingMode2["Attribute"] = 3] = "Attribute";
  EncodingMode2[EncodingMode2["Text"] = 4] = "Text";
})(EncodingMode || (EncodingMode = {}));

// node_modules/linkify-it/build/index.mjs
var REBuilder = class {
  src_Any = Any.source;
  src_Cc = Cc.source;
  src_Z = Z.source;
  src_P = P4.source;
  src_ZPCc = [
    this.src_Z,
    this.src_P,
    this.src_Cc
  ].join("|");
  src_ZCc = [this.src_Z, this.src_Cc].join("|");
  cache = {};
  opts = {
    maxLength: 1e4,
    urlAuth: false,
    schema_names: []
  };
  constructor(opts = {}) {
    this.opts = {
      ...this.opts,
      ...opts
    };
  }
  set(opts = {}) {
    this.opts = {
      ...this.opts,
      ...opts
    };
    this.cache = {};
    return this;
  }
  escapeRE(str) {
    return str.replace(/[.?*+^$[\]\\(){}|-]/g, "\\$&");
  }
  nestedPairRE(open3, close2, depth = 4) {
    const openRE = this.escapeRE(open3);
    const closeRE = this.escapeRE(close2);
    const atom = `(?:(?!${this.src_ZCc}|${openRE}|${closeRE}).)`;
    let pair = `${openRE}${atom}{0,1000}${closeRE}`;
    for (let level = 2; level <= depth; level++) pair = `${openRE}(?:${atom}|${pair}){0,1000}${closeRE}`;
    return pair;
  }
  get_text_separators() {
    return this.cache.text_separators ??= /[><\uff5c]/;
  }
  get_pseudo_letter() {
    return this.cache.src_pseudo_letter ??= new RegExp(`(?:(?!${this.get_text_separators().source}|${this.src_ZPCc})${this.src_Any})`);
  }
  get_ipv4_addr() {
    return this.cache.src_ip4 ??= /* @__PURE__ */ new RegExp("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])[.]){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])");
  }
  get_ipv6_addr() {
    const h16 = "[0-9A-Fa-f]{1,4}";
    const ls32 = `(?:(?:${h16}:${h16})|${this.get_ipv4_addr().source})`;
    return this.cache.src_ip6_addr ??= new RegExp(`(?:(?:${h16}:){6}${ls32}|::(?:${h16}:){5}${ls32}|(?:${h16})?::(?:${h16}:){4}${ls32}|(?:(?:${h16}:){0,1}${h16})?::(?:${h16}:){3}${ls32}|(?:(?:${h16}:){0,2}${h16})?::(?:${h16}:){2}${ls32}|(?:(?:${h16}:){0,3}${h16})?::${h16}:${ls32}|(?:(?:${h16}:){0,4}${h16})?::${ls32}|(?:(?:${h16}:){0,5}${h16})?::${h16}|(?:(?:${h16}:){0,6}${h16})?::)`);
  }
  get_ipv6_url_host() {
    return this.cache.src_ip6_host ??= new RegExp(`\\[${this.get_ipv6_addr().source}\\]`);
  }
  get_ipv6_mail_host() {
    return this.cache.src_ipv6_mail_host ??= new RegExp(`\\[IPv6:${this.get_ipv6_addr().source}\\]`);
  }
  get_auth() {
    return this.cache.src_auth ??= new RegExp(`(?:(?:(?!${this.src_ZCc}|[@/\\[\\]()]).){1,50}@)?`);
  }
  get_port() {
    return this.cache.src_port ??= /* @__PURE__ */ new RegExp("(?::(?:6(?:[0-4]\\d{3}|5(?:[0-4]\\d{2}|5(?:[0-2]\\d|3[0-5])))|[1-5]?\\d{1,4}))?");
  }
  get_host_terminator() {
    return this.cache.src_host_terminator ??= new RegExp(`(?=$|${this.get_text_separators().source}|${this.src_ZPCc})(?!${this.opts["---"] ? "-(?!--)|" : "-|"}_|:\\d|\\.-|\\.(?!$|${this.src_ZPCc}))`);
  }
  get_path_terminator() {
    return this.cache.src_path_terminator ??= new RegExp(`${this.src_ZPCc}|${this.get_text_separators().source}`);
  }
  get_path() {
    return this.cache.src_path ??= new RegExp(`(?:[/?#](?:${this.nestedPairRE("[", "]")}|${this.nestedPairRE("(", ")")}|${this.nestedPairRE("{", "}")}|\\"(?:(?!${this.src_ZCc}|["]).){1,100}\\"|\\'(?:(?!${this.src_ZCc}|[']).){1,100}\\'|\\'(?=${this.get_pseudo_letter().source}|[-])|\\.{2,20}[:]?[a-zA-Z0-9%/&]|\\.(?!${this.src_ZCc}|[.]|$)|` + (this.opts["---"] ? "\\-(?!--(?:[^-]|$))(?:-{0,19})|" : "\\-{1,20}|") + `,(?!${this.src_ZCc}|$)|;(?!${this.src_ZCc}|$)|\\!{1,20}(?!${this.src_ZCc}|[!]|$)|\\?(?!${this.src_ZCc}|[?]|$)|` + this.get_path_extra().source + `[\\\\/:%@#&=_~*]|(?!${this.get_path_terminator().source}).){1,${this.opts.maxLength}}|\\/)?`);
  }
  get_mail_name() {
    return this.cache.src_mail_name ??= /* @__PURE__ */ new RegExp("[-!#$%&'*+/=?^_`{|}~a-zA-Z0-9](?:[-!#$%&'*+/=?^_`{|}~a-zA-Z0-9]|[.](?=[-!#$%&'*+/=?^_`{|}~a-zA-Z0-9])){0,63}");
  }
  get_xn() {
    return this.cache.src_xn ??= /* @__PURE__ */ new RegExp("xn--[a-z0-9\\-]{1,59}");
  }
  get_tld() {
    if (this.cache.tld) return this.cache.tld;
    const tlds_src = [...new Set(this.opts.tlds || [])].sort().reverse().join("|");
    this.cache.tld = new RegExp(`${tlds_src || "$#none#$"}|${this.get_xn().source}`);
    return this.cache.tld;
  }
  get_domain_root() {
    return this.cache.src_domain_root ??= new RegExp("(?:" + this.get_xn().source + `|${this.get_pseudo_letter().source}{1,63})`);
  }
  get_domain() {
    return this.cache.src_domain ??= new RegExp("(?:" + this.get_xn().source + `|(?:${this.get_pseudo_letter().source})|(?:${this.get_pseudo_letter().source}(?:-|${this.get_pseudo_letter().source}){0,61}${this.get_pseudo_letter().source}))`);
  }
  get_url_host_port() {
    return this.cache.url_host_port ??= new RegExp("(?:" + this.get_ipv6_url_host().source + `|(?:(?:(?:${this.get_domain().source})\\.){0,10}${this.get_domain().source}))` + this.get_port().source + this.get_host_terminator().source);
  }
  get_fuzzy_url_host_port() {
    return this.cache.fuzzy_url_host_port ??= new RegExp("(?:" + (this.opts.fuzzyIP ? this.get_ipv4_addr().source + "|" : "") + `(?:(?:(?:${this.get_domain().source})\\.){1,10}(?:${this.get_tld().source})))` + this.get_host_terminator().source);
  }
  get_mail_host() {
    return this.cache.src_mail_host ??= new RegExp("(?:" + this.get_ipv6_mail_host().source + `|(?:(?:(?:${this.get_domain().source})\\.){0,4}${this.get_domain().source}))` + this.get_host_terminator().source);
  }
  get_fuzzy_mail_host() {
    return this.cache.src_fuzzy_mail_host ??= new RegExp("(?:" + this.get_ipv6_mail_host().source + `|(?:(?:(?:${this.get_domain().source})[.]){1,4}${this.get_domain_root().source}))` + this.get_host_terminator().source);
  }
  get_path_extra() {
    return this.cache.src_path_extra ??= /* @__PURE__ */ new RegExp("");
  }
  get_fuzzy_mail_host_search() {
    return this.cache.mail_fuzzy_host_search ??= new RegExp(`@${this.get_fuzzy_mail_host().source}`, "ig");
  }
  get_fuzzy_link_search() {
    return this.cache.link_fuzzy_search ??= new RegExp(`(^|(?![.:/\\-_@])(?:[$+<=>^\`|｜]|${this.src_ZPCc}))(?:(?![$+<=>^\`|｜])${this.get_fuzzy_url_host_port().source}${this.get_path().source})`, "ig");
  }
  get_http_validator() {
    return this.cache.http_validator ??= new RegExp("\\/\\/" + (this.opts.urlAuth ? this.get_auth().source : "") + this.get_url_host_port().source + this.get_path().source, "iy");
  }
  get_relative_proto_validator() {
    return this.cache.relative_proto_validator ??= new RegExp((this.opts.urlAuth ? this.get_auth().source : "") + `(?:localhost|${this.get_ipv6_url_host().source}|(?:(?:${this.get_domain().source})[.]){1,10}${this.get_domain_root().source})` + this.get_port().source + this.get_host_terminator().source + this.get_path().source, "iy");
  }
  get_mail_name_validator() {
    return this.cache.mail_name_validator ??= new RegExp(`(?:^|${this.get_text_separators().source}|"|\\(|${this.src_ZCc})(${this.get_mail_name().source})$`);
  }
  get_mailto_validator() {
    return this.cache.mailto_validator ??= new RegExp(`${this.get_mail_name().source}@${this.get_mail_host().source}`, "iy");
  }
  get_schema_names() {
    return this.cache.schema_names ??= new RegExp((this.opts.schema_names || []).map((name) => this.escapeRE(name)).join("|"));
  }
  get_schema_search() {
    return this.cache.schema_search ??= new RegExp(`(^|(?!_)(?:[><｜]|${this.src_ZPCc}))(${this.get_schema_names().source})`, "ig");
  }
  get_schema_at_start() {
    return this.cache.schema_at_start ??= new RegExp(`^${this.get_schema_search().source}`, "i");
  }
};
var web_schema = {
  validate: (text3, pos, self) => {
    const re = self.re.get_http_validator();
    re.lastIndex = pos;
    const m5 = re.exec(text3);
    return m5 ? m5[0].length : 0;
  },
  normalize: (match, self) => self.normalize(match)
};
var defaultSchemas = {
  "http:": web_schema,
  "https:": web_schema,
  "ftp:": web_schema,
  "//": {
    validate: function(text3, pos, self) {
      const re = self.re.get_relative_proto_validator();
      re.lastIndex = pos;
      const m5 = re.exec(text3);
      if (m5) {
        if (pos >= 3 && text3[pos - 3] === ":") return 0;
        if (pos >= 3 && text3[pos - 3] === "/") return 0;
        return m5[0].length;
      }
      return 0;
    },
    normalize: (match, self) => self.normalize(match)
  },
  "mailto:": {
    validate: function(text3, pos, self) {
      const re = self.re.get_mailto_validator();
      re.lastIndex = pos;
      const m5 = re.exec(text3);
      return m5 ? m5[0].length : 0;
    },
    normalize: (match, self) => self.normalize(match)
  }
};
var tlds_2ch = "a:cdefgilmnoqrstuwxz|b:abdefghijmnorstvwyz|c:acdfghiklmnoruvwxyz|d:ejkmoz|e:cegrstu|f:ijkmor|g:abdefghilmnpqrstuwy|h:kmnrtu|i:delmnoqrst|j:emop|k:eghimnprwyz|l:abcikrstuvy|m:acdeghklmnopqrstuvwxyz|n:acefgilopruz|o:m|p:aefghklmnrstwy|q:a|r:eosuw|s:abcdeghijklmnortuvxyz|t:cdfghjklmnortvwz|u:agksyz|v:aceginu|w:fs|y:et|z:amw";
var tlds_default = "biz|com|edu|gov|net|org|pro|web|xxx|aero|asia|coop|info|museum|name|shop|рф";
function unpackTlds() {
  const result = tlds_default.split("|");
  tlds_2ch.split("|").forEach((item) => {
    const sep = item.indexOf(":");
    const prefix = item.slice(0, sep);
    for (const suffix of item.slice(sep + 1)) result.push(prefix + suffix);
  });
  return result;
}
var defaultOptions = {
  fuzzyLink: false,
  fuzzyEmail: true,
  fuzzyIP: false,
  "---": false,
  tlds: unpackTlds(),
  urlAuth: false,
  maxLength: 1e4
};
var Match = class {
  /** Prefix (protocol) for matched string. Empty for fuzzy links. */
  schema;
  /** First position of matched string. */
  index;
  /** Next position after matched string. */
  lastIndex;
  /** Matched string. */
  raw;
  /** Normalized text of matched string. */
  text;
  /** Normalized URL of matched string. */
  url;
  constructor(text3, schema, index, lastIndex) {
    const raw = text3.slice(index, lastIndex);
    this.schema = schema.toLowerCase();
    this.index = index;
    this.lastIndex = lastIndex;
    this.raw = raw;
    this.text = raw;
    this.url = raw;
  }
};
var LinkifyIt = class {
  __opts__;
  __schemas__;
  re;
  /**
  * Creates new linkifier instance.
  *
  * By default understands:
  *
  * - `http(s)://...` , `ftp://...`, `mailto:...` & `//...` links
  * - "fuzzy" emails (foo@bar.com).
  *
  * See {@link LinkifyConstructorOptions} for available options.
  *
  * @param options Recognition options.
  *
  * @example
  * ```javascript
  * import { LinkifyIt } from 'linkify-it'
  *
  * const linkify = new LinkifyIt({ fuzzyLink: true })
  *
  * linkify
  *   .tlds(require('tlds'))       // Reload with full TLD list
  *   .tlds('onion', true)         // Add unofficial `.onion` domain
  *   .add('ftp:', null)           // Disable `ftp:` protocol
  *   .set({ fuzzyIP: true })      // Enable IPs in fuzzy links
  *
  * console.log(linkify.test('Site github.com!')) // true
  * console.log(linkify.match('Site github.com!'))
  * ```
  */
  constructor(options = {}) {
    const { rebuilder, ...linkifyOptions } = options;
    this.__opts__ = {
      ...defaultOptions,
      ...linkifyOptions
    };
    this.__schemas__ = { ...defaultSchemas };
    this.re = rebuilder || new REBuilder();
    this.re.set({
      ...this.__opts__,
      schema_names: Object.keys(this.__schemas__)
    });
  }
  /**
  * Add new rule definition.
  *
  * `schema` is a link prefix (usually, protocol name with `:` at the end,
  * `skype:` for example). `linkify-it` makes sure that prefix is not
  * preceded with alphanumeric char and symbols. Only whitespaces and
  * punctuation allowed.
  *
  * `definition` is a rule to check tail after link prefix. To disable an
  * existing rule, pass `null`.
  *
  * @param schema Rule name (fixed pattern prefix).
  * @param definition Schema definition, or `null` to disable the rule.
  *
  * See [twitter mentions example](https://github.com/markdown-it/linkify-it/blob/master/examples/twitter.mjs).
  */
  add(schema, definition = null) {
    if (!definition) delete this.__schemas__[schema];
    else {
      const def = {
        normalize: (match, self) => self.normalize(match),
        ...definition
      };
      this.__schemas__[schema] = def;
    }
    this.re.set({
      ...this.__opts__,
      schema_names: Object.keys(this.__schemas__)
    });
    return this;
  }
  /**
  * Set recognition options for links without schema.
  *
  * @param options Recognition options.
  */
  set(options = {}) {
    this.__opts__ = {
      ...this.__opts__,
      ...options
    };
    this.re.set({
      ...this.__opts__,
      schema_names: Object.keys(this.__schemas__)
    });
    return this;
  }
  /**
  * Searches linkifiable pattern and returns `true` on success or `false` on fail.
  *
  * @param text Text to scan.
  */
  test(text3) {
    if (!text3.length) return false;
    let m5, re;
    re = this.re.get_schema_search();
    re.lastIndex = 0;
    while ((m5 = re.exec(text3)) !== null) if (this.testSchemaAt(text3, m5[2], re.lastIndex)) return true;
    if (this.__opts__.fuzzyLink && this.__schemas__["http:"]) {
      re = this.re.get_fuzzy_link_search();
      re.lastIndex = 0;
      if (re.exec(text3) !== null) return true;
    }
    if (this.__opts__.fuzzyEmail && this.__schemas__["mailto:"]) {
      if (text3.indexOf("@") >= 0) {
        const mailHostRe = this.re.get_fuzzy_mail_host_search();
        const mailNameRe = this.re.get_mail_name_validator();
        mailHostRe.lastIndex = 0;
        while ((m5 = mailHostRe.exec(text3)) !== null) {
          const name = text3.slice(Math.max(0, m5.index - 65), m5.index);
          if (mailNameRe.test(name)) return true;
        }
      }
    }
    return false;
  }
  /**
  * Similar to {@link LinkifyIt.test} but checks only specific protocol tail exactly
  * at given position. Returns length of found pattern (0 on fail).
  *
  * @param text Text to scan.
  * @param schema Rule (schema) name.
  * @param pos Text offset to check from.
  */
  testSchemaAt(text3, schema, pos) {
    if (!this.__schemas__[schema.toLowerCase()]) return 0;
    return this.__schemas__[schema.toLowerCase()].validate(text3.slice(0, pos + this.__opts__.maxLength), pos, this);
  }
  /**
  * Returns array of found link descriptions or `null` on fail. We strongly
  * recommend to use {@link LinkifyIt.test} first, for best speed.
  *
  * @param text Text to scan.
  */
  match(text3) {
    const result = [];
    const schemaRe = this.re.get_schema_search();
    let fuzzyLinkRe;
    let mailHostRe;
    let mailNameRe;
    let fuzzyLinkCandidate;
    let fuzzyEmailCandidate;
    let schemaPrefix;
    let schemaDone = false;
    let fuzzyLinkDone = false;
    let fuzzyEmailDone = false;
    let pos = 0;
    if (!text3.length) return null;
    schemaRe.lastIndex = 0;
    if (this.__opts__.fuzzyLink && this.__schemas__["http:"]) {
      fuzzyLinkRe = this.re.get_fuzzy_link_search();
      fuzzyLinkRe.lastIndex = 0;
    }
    if (this.__opts__.fuzzyEmail && this.__schemas__["mailto:"]) {
      mailHostRe = this.re.get_fuzzy_mail_host_search();
      mailHostRe.lastIndex = 0;
      mailNameRe = this.re.get_mail_name_validator();
    }
    for (; ; ) {
      const scanFrom = Math.max(pos - 1, 0);
      if (mailHostRe && mailNameRe && !fuzzyEmailDone && (!fuzzyEmailCandidate || fuzzyEmailCandidate.index < pos)) {
        if (mailHostRe.lastIndex < scanFrom) mailHostRe.lastIndex = scanFrom;
        for (; ; ) {
          const m5 = mailHostRe.exec(text3);
          if (!m5) {
            fuzzyEmailDone = true;
            fuzzyEmailCandidate = void 0;
            break;
          }
          const name = mailNameRe.exec(text3.slice(Math.max(0, m5.index - 65), m5.index));
          if (!name) continue;
          fuzzyEmailCandidate = {
            schema: "mailto:",
            index: m5.index - name[1].length,
            lastIndex: m5.index + m5[0].length
          };
          if (fuzzyEmailCandidate.index >= pos) break;
          if (mailHostRe.lastIndex < scanFrom) mailHostRe.lastIndex = scanFrom;
        }
      }
      if (fuzzyLinkRe && !fuzzyLinkDone && (!fuzzyLinkCandidate || fuzzyLinkCandidate.index < pos)) {
        if (fuzzyLinkRe.lastIndex < scanFrom) fuzzyLinkRe.lastIndex = scanFrom;
        for (; ; ) {
          const m5 = fuzzyLinkRe.exec(text3);
          if (!m5) {
            fuzzyLinkDone = true;
            fuzzyLinkCandidate = void 0;
            break;
          }
          fuzzyLinkCandidate = {
            schema: "",
            index: m5.index + m5[1].length,
            lastIndex: m5.index + m5[0].length
          };
          if (fuzzyLinkCandidate.index >= pos) break;
          if (fuzzyLinkRe.lastIndex < scanFrom) fuzzyLinkRe.lastIndex = scanFrom;
        }
      }
      let fuzzyCandidate = fuzzyEmailCandidate;
      if (!fuzzyCandidate || fuzzyLinkCandidate && (fuzzyLinkCandidate.index < fuzzyCandidate.index || fuzzyLinkCandidate.index === fuzzyCandidate.index && fuzzyLinkCandidate.lastIndex > fuzzyCandidate.lastIndex)) fuzzyCandidate = fuzzyLinkCandidate;
      let schemaCandidate;
      if (!schemaDone) for (; ; ) {
        if (!schemaPrefix) {
          if (schemaRe.lastIndex < scanFrom) schemaRe.lastIndex = scanFrom;
          const m5 = schemaRe.exec(text3);
          if (!m5) {
            schemaDone = true;
            break;
          }
          schemaPrefix = {
            schema: m5[2],
            index: m5.index + m5[1].length,
            lastIndex: m5.index + m5[0].length
          };
        }
        if (schemaPrefix.index < pos) {
          schemaPrefix = void 0;
          continue;
        }
        if (fuzzyCandidate && schemaPrefix.index > fuzzyCandidate.index) break;
        const prefix = schemaPrefix;
        schemaPrefix = void 0;
        const len = this.testSchemaAt(text3, prefix.schema, prefix.lastIndex);
        if (len) {
          schemaCandidate = {
            schema: prefix.schema,
            index: prefix.index,
            lastIndex: prefix.lastIndex + len
          };
          break;
        }
      }
      let candidate = schemaCandidate;
      if (!candidate || fuzzyEmailCandidate && (fuzzyEmailCandidate.index < candidate.index || fuzzyEmailCandidate.index === candidate.index && fuzzyEmailCandidate.lastIndex > candidate.lastIndex)) candidate = fuzzyEmailCandidate;
      if (!candidate || fuzzyLinkCandidate && (fuzzyLinkCandidate.index < candidate.index || fuzzyLinkCandidate.index === candidate.index && fuzzyLinkCandidate.lastIndex > candidate.lastIndex)) candidate = fuzzyLinkCandidate;
      if (!candidate) break;
      if (candidate === fuzzyEmailCandidate) fuzzyEmailCandidate = void 0;
      else if (candidate === fuzzyLinkCandidate) fuzzyLinkCandidate = void 0;
      const match = new Match(text3, candidate.schema, candidate.index, candidate.lastIndex);
      if (match.schema) this.__schemas__[match.schema].normalize(match, this);
      else this.normalize(match);
      result.push(match);
      pos = candidate.lastIndex;
    }
    if (result.length) return result;
    return null;
  }
  /**
  * Returns fully-formed (not fuzzy) link if it starts at the beginning
  * of the string, and null otherwise.
  *
  * @param text Text to scan.
  */
  matchAtStart(text3) {
    if (!text3.length) return null;
    const m5 = this.re.get_schema_at_start().exec(text3);
    if (!m5) return null;
    const len = this.testSchemaAt(text3, m5[2], m5[0].length);
    if (!len) return null;
    const match = new Match(text3, m5[2], m5.index + m5[1].length, m5.index + m5[0].length + len);
    this.__schemas__[match.schema].normalize(match, this);
    return match;
  }
  /**
  * Load (or merge) new TLDs list. Those are used for fuzzy links (without
  * prefix) to avoid false positives. By default this algorithm is used:
  *
  * - hostname with any 2-letter root zones are ok.
  * - biz|com|edu|gov|net|org|pro|web|xxx|aero|asia|coop|info|museum|name|shop|рф
  *   are ok.
  * - encoded (`xn--...`) root zones are ok.
  *
  * If list is replaced, then exact match for 2-chars root zones will be checked.
  *
  * @param list List of TLDs.
  * @param keepOld Merge with current list if `true` (`false` by default).
  */
  tlds(list2, keepOld = false) {
    list2 = Array.isArray(list2) ? list2 : [list2];
    if (!keepOld) this.__opts__.tlds = list2;
    else this.__opts__.tlds = this.__opts__.tlds.concat(list2);
    this.re.set({
      ...this.__opts__,
      schema_names: Object.keys(this.__schemas__)
    });
    return this;
  }
  /**
  * Default normalizer (if schema does not define its own).
  *
  * @param match Match to normalize.
  */
  normalize(match) {
    if (!match.schema) match.url = `http://${match.url}`;
    if (match.schema === "mailto:" && !/^mailto:/i.test(match.url)) match.url = `mailto:${match.url}`;
  }
};

// node_modules/punycode.js/punycode.es6.js
var maxInt = 2147483647;
var base = 36;
var tMin = 1;
var tMax = 26;
var skew = 38;
var damp = 700;
var initialBias = 72;
var initialN = 128;
var delimiter = "-";
var regexPunycode = /^xn--/;
var regexNonASCII = /[^\0-\x7F]/;
var regexSeparators = /[\x2E\u3002\uFF0E\uFF61]/g;
var errors = {
  "overflow": "Overflow: input needs wider integers to process",
  "not-basic": "Illegal input >= 0x80 (not a basic code point)",
  "invalid-input": "Invalid input"
};
var baseMinusTMin = base - tMin;
var floor = Math.floor;
var stringFromCharCode = String.fromCharCode;
function error(type) {
  throw new RangeError(errors[type]);
}
function map(array, callback) {
  const result = [];
  let length2 = array.length;
  while (length2--) {
    result[length2] = callback(array[length2]);
  }
  return result;
}
function mapDomain(domain, callback) {
  const parts = domain.split("@");
  let result = "";
  if (parts.length > 1) {
    result = parts[0] + "@";
    domain = parts[1];
  }
  domain = domain.replace(regexSeparators, ".");
  const labels = domain.split(".");
  const encoded = map(labels, callback).join(".");
  return result + encoded;
}
function ucs2decode(string) {
  const output = [];
  let counter = 0;
  const length2 = string.length;
  while (counter < length2) {
    const value = string.charCodeAt(counter++);
    if (value >= 55296 && value <= 56319 && counter < length2) {
      const extra = string.charCodeAt(counter++);
      if ((extra & 64512) == 56320) {
        output.push(((value & 1023) << 10) + (extra & 1023) + 65536);
      } else {
        output.push(value);
        counter--;
      }
    } else {
      output.push(value);
    }
  }
  return output;
}
var ucs2encode = (codePoints) => String.fromCodePoint(...codePoints);
var basicToDigit = function(codePoint) {
  if (codePoint >= 48 && codePoint < 58) {
    return 26 + (codePoint - 48);
  }
  if (codePoint >= 65 && codePoint < 91) {
    return codePoint - 65;
  }
  if (codePoint >= 97 && codePoint < 123) {
    return codePoint - 97;
  }
  return base;
};
var digitToBasic = function(digit, flag) {
  return digit + 22 + 75 * (digit < 26) - ((flag != 0) << 5);
};
var adapt = function(delta, numPoints, firstTime) {
  let k4 = 0;
  delta = firstTime ? floor(delta / damp) : delta >> 1;
  delta += floor(delta / numPoints);
  for (; delta > baseMinusTMin * tMax >> 1; k4 += base) {
    delta = floor(delta / baseMinusTMin);
  }
  return floor(k4 + (baseMinusTMin + 1) * delta / (delta + skew));
};
var decode2 = function(input) {
  const output = [];
  const inputLength = input.length;
  let i4 = 0;
  let n3 = initialN;
  let bias = initialBias;
  let basic = input.lastIndexOf(delimiter);
  if (basic < 0) {
    basic = 0;
  }
  for (let j4 = 0; j4 < basic; ++j4) {
    if (input.charCodeAt(j4) >= 128) {
      error("not-basic");
    }
    output.push(input.charCodeAt(j4));
  }
  for (let index = basic > 0 ? basic + 1 : 0; index < inputLength; ) {
    const oldi = i4;
    for (let w6 = 1, k4 = base; ; k4 += base) {
      if (index >= inputLength) {
        error("invalid-input");
      }
      const digit = basicToDigit(input.charCodeAt(index++));
      if (digit >= base) {
        error("invalid-input");
      }
      if (digit > floor((maxInt - i4) / w6)) {
        error("overflow");
      }
      i4 += digit * w6;
      const t5 = k4 <= bias ? tMin : k4 >= bias + tMax ? tMax : k4 - bias;
      if (digit < t5) {
        break;
      }
      const baseMinusT = base - t5;
      if (w6 > floor(maxInt / baseMinusT)) {
        error("overflow");
      }
      w6 *= baseMinusT;
    }
    const out = output.length + 1;
    bias = adapt(i4 - oldi, out, oldi == 0);
    if (floor(i4 / out) > maxInt - n3) {
      error("overflow");
    }
    n3 += floor(i4 / out);
    i4 %= out;
    output.splice(i4++, 0, n3);
  }
  return String.fromCodePoint(...output);
};
var encode2 = function(input) {
  const output = [];
  input = ucs2decode(input);
  const inputLength = input.length;
  let n3 = initialN;
  let delta = 0;
  let bias = initialBias;
  for (const currentValue of input) {
    if (currentValue < 128) {
      output.push(stringFromCharCode(currentValue));
    }
  }
  const basicLength = output.length;
  let handledCPCount = basicLength;
  if (basicLength) {
    output.push(delimiter);
  }
  while (handledCPCount < inputLength) {
    let m5 = maxInt;
    for (const currentValue of input) {
      if (currentValue >= n3 && currentValue < m5) {
        m5 = currentValue;
      }
    }
    const handledCPCountPlusOne = handledCPCount + 1;
    if (m5 - n3 > floor((maxInt - delta) / handledCPCountPlusOne)) {
      error("overflow");
    }
    delta += (m5 - n3) * handledCPCountPlusOne;
    n3 = m5;
    for (const currentValue of input) {
      if (currentValue < n3 && ++delta > maxInt) {
        error("overflow");
      }
      if (currentValue === n3) {
        let q3 = delta;
        for (let k4 = base; ; k4 += base) {
          const t5 = k4 <= bias ? tMin : k4 >= bias + tMax ? tMax : k4 - bias;
          if (q3 < t5) {
            break;
          }
          const qMinusT = q3 - t5;
          const baseMinusT = base - t5;
          output.push(
            stringFromCharCode(digitToBasic(t5 + qMinusT % baseMinusT, 0))
          );
          q3 = floor(qMinusT / baseMinusT);
        }
        output.push(stringFromCharCode(digitToBasic(q3, 0)));
        bias = adapt(delta, handledCPCountPlusOne, handledCPCount === basicLength);
        delta = 0;
        ++handledCPCount;
      }
    }
    ++delta;
    ++n3;
  }
  return output.join("");
};
var toUnicode = function(input) {
  return mapDomain(input, function(string) {
    return regexPunycode.test(string) ? decode2(string.slice(4).toLowerCase()) : string;
  });
};
var toASCII = function(input) {
  return mapDomain(input, function(string) {
    return regexNonASCII.test(string) ? "xn--" + encode2(string) : string;
  });
};
var punycode = {
  /**
   * A string representing the current Punycode.js version number.
   * @memberOf punycode
   * @type String
   */
  "version": "2.3.1",
  /**
   * An object of methods to convert from JavaScript's internal character
   * representation (UCS-2) to Unicode code points, and back.
   * @see <https://mathiasbynens.be/notes/javascript-encoding>
   * @memberOf punycode
   * @type Object
   */
  "ucs2": {
    "decode": ucs2decode,
    "encode": ucs2encode
  },
  "decode": decode2,
  "encode": encode2,
  "toASCII": toASCII,
  "toUnicode": toUnicode
};
var punycode_es6_default = punycode;

// node_modules/markdown-it/dist/markdown-it.mjs
var __defProp = Object.defineProperty;
var __exportAll = (all, no_symbols) => {
  let target = {};
  for (var name in all) __defProp(target, name, {
    get: all[name],
    enumerable: true
  });
  if (!no_symbols) __defProp(target, Symbol.toStringTag, { value: "Module" });
  return target;
};
var utils_exports = /* @__PURE__ */ __exportAll({
  arrayReplaceAt: () => arrayReplaceAt,
  asciiTrim: () => asciiTrim,
  callable: () => callable,
  escapeHtml: () => escapeHtml,
  escapeRE: () => escapeRE,
  fromCodePoint: () => fromCodePoint,
  isMdAsciiPunct: () => isMdAsciiPunct,
  isPunctChar: () => isPunctChar,
  isPunctCharCode: () => isPunctCharCode,
  isSpace: () => isSpace,
  isValidEntityCode: () => isValidEntityCode,
  isWhiteSpace: () => isWhiteSpace,
  lib: () => lib,
  normalizeReference: () => normalizeReference,
  unescapeAll: () => unescapeAll,
  unescapeMd: () => unescapeMd
});
function callable(cls) {
  const wrapper = function(...args) {
    return Reflect.construct(cls, args, new.target && new.target !== wrapper ? new.target : cls);
  };
  Object.defineProperty(wrapper, "name", { value: cls.name });
  Object.setPrototypeOf(wrapper, cls);
  wrapper.prototype = cls.prototype;
  return wrapper;
}
function arrayReplaceAt(src, pos, newElements) {
  return [].concat(src.slice(0, pos), newElements, src.slice(pos + 1));
}
function isValidEntityCode(c4) {
  if (c4 >= 55296 && c4 <= 57343) return false;
  if (c4 >= 64976 && c4 <= 65007) return false;
  if ((c4 & 65535) === 65535 || (c4 & 65535) === 65534) return false;
  if (c4 >= 0 && c4 <= 8) return false;
  if (c4 === 11) return false;
  if (c4 >= 14 && c4 <= 31) return false;
  if (c4 >= 127 && c4 <= 159) return false;
  if (c4 > 1114111) return false;
  return true;
}
function fromCodePoint(c4) {
  if (c4 > 65535) {
    c4 -= 65536;
    const surrogate1 = 55296 + (c4 >> 10);
    const surrogate2 = 56320 + (c4 & 1023);
    return String.fromCharCode(surrogate1, surrogate2);
  }
  return String.fromCharCode(c4);
}
var UNESCAPE_MD_RE = /\\([!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~])/g;
var UNESCAPE_ALL_RE = new RegExp(`${UNESCAPE_MD_RE.source}|${/&([a-z#][a-z0-9]{1,31});/gi.source}`, "gi");
var DIGITAL_ENTITY_TEST_RE = /^#((?:x[a-f0-9]{1,8}|[0-9]{1,8}))$/i;
function replaceEntityPattern(match, name) {
  if (name.charCodeAt(0) === 35 && DIGITAL_ENTITY_TEST_RE.test(name)) {
    const code2 = name[1].toLowerCase() === "x" ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
    if (isValidEntityCode(code2)) return fromCodePoint(code2);
    return match;
  }
  const decoded = decodeHTMLStrict(match);
  if (decoded !== match) return decoded;
  return match;
}
function unescapeMd(str) {
  if (str.indexOf("\\") < 0) return str;
  return str.replace(UNESCAPE_MD_RE, "$1");
}
function unescapeAll(str) {
  if (str.indexOf("\\") < 0 && str.indexOf("&") < 0) return str;
  return str.replace(UNESCAPE_ALL_RE, function(match, escaped, entity2) {
    if (escaped) return escaped;
    return replaceEntityPattern(match, entity2);
  });
}
var HTML_ESCAPE_TEST_RE = /[&<>"]/;
var HTML_ESCAPE_REPLACE_RE = /[&<>"]/g;
var HTML_REPLACEMENTS = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;"
};
function replaceUnsafeChar(ch) {
  return HTML_REPLACEMENTS[ch];
}
function escapeHtml(str) {
  if (HTML_ESCAPE_TEST_RE.test(str)) return str.replace(HTML_ESCAPE_REPLACE_RE, replaceUnsafeChar);
  return str;
}
var REGEXP_ESCAPE_RE = /[.?*+^$[\]\\(){}|-]/g;
function escapeRE(str) {
  return str.replace(REGEXP_ESCAPE_RE, "\\$&");
}
function isSpace(code2) {
  switch (code2) {
    case 9:
    case 32:
      return true;
  }
  return false;
}
function isWhiteSpace(code2) {
  if (code2 >= 8192 && code2 <= 8202) return true;
  switch (code2) {
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
    case 32:
    case 160:
    case 5760:
    case 8239:
    case 8287:
    case 12288:
      return true;
  }
  return false;
}
function isPunctChar(ch) {
  return P4.test(ch) || S3.test(ch);
}
function isPunctCharCode(code2) {
  return isPunctChar(fromCodePoint(code2));
}
function isMdAsciiPunct(ch) {
  switch (ch) {
    case 33:
    case 34:
    case 35:
    case 36:
    case 37:
    case 38:
    case 39:
    case 40:
    case 41:
    case 42:
    case 43:
    case 44:
    case 45:
    case 46:
    case 47:
    case 58:
    case 59:
    case 60:
    case 61:
    case 62:
    case 63:
    case 64:
    case 91:
    case 92:
    case 93:
    case 94:
    case 95:
    case 96:
    case 123:
    case 124:
    case 125:
    case 126:
      return true;
    default:
      return false;
  }
}
function normalizeReference(str) {
  str = str.trim().replace(/\s+/g, " ");
  return str.toLowerCase().toUpperCase();
}
function isAsciiTrimmable(c4) {
  return c4 === 32 || c4 === 9 || c4 === 10 || c4 === 13;
}
function asciiTrim(str) {
  let start2 = 0;
  for (; start2 < str.length; start2++) if (!isAsciiTrimmable(str.charCodeAt(start2))) break;
  let end = str.length - 1;
  for (; end >= start2; end--) if (!isAsciiTrimmable(str.charCodeAt(end))) break;
  return str.slice(start2, end + 1);
}
var lib = {
  mdurl: mdurl_exports,
  ucmicro: build_exports
};
function parseLinkLabel(state, start2, disableNested) {
  let level, found, marker, prevPos;
  const max = state.posMax;
  const oldPos = state.pos;
  state.pos = start2 + 1;
  level = 1;
  while (state.pos < max) {
    marker = state.src.charCodeAt(state.pos);
    if (marker === 93) {
      level--;
      if (level === 0) {
        found = true;
        break;
      }
    }
    prevPos = state.pos;
    state.md.inline.skipToken(state);
    if (marker === 91) {
      if (prevPos === state.pos - 1) level++;
      else if (disableNested) {
        state.pos = oldPos;
        return -1;
      }
    }
  }
  let labelEnd = -1;
  if (found) labelEnd = state.pos;
  state.pos = oldPos;
  return labelEnd;
}
function parseLinkDestination(str, start2, max) {
  let code2;
  let pos = start2;
  const result = {
    ok: false,
    pos: 0,
    str: ""
  };
  if (str.charCodeAt(pos) === 60) {
    pos++;
    while (pos < max) {
      code2 = str.charCodeAt(pos);
      if (code2 === 10) return result;
      if (code2 === 60) return result;
      if (code2 === 62) {
        result.pos = pos + 1;
        result.str = unescapeAll(str.slice(start2 + 1, pos));
        result.ok = true;
        return result;
      }
      if (code2 === 92 && pos + 1 < max) {
        pos += 2;
        continue;
      }
      pos++;
    }
    return result;
  }
  let level = 0;
  while (pos < max) {
    code2 = str.charCodeAt(pos);
    if (code2 === 32) break;
    if (code2 < 32 || code2 === 127) break;
    if (code2 === 92 && pos + 1 < max) {
      if (str.charCodeAt(pos + 1) === 32) {
        pos++;
        continue;
      }
      pos += 2;
      continue;
    }
    if (code2 === 40) {
      level++;
      if (level > 32) return result;
    }
    if (code2 === 41) {
      if (level === 0) break;
      level--;
    }
    pos++;
  }
  if (start2 === pos) return result;
  if (level !== 0) return result;
  result.str = unescapeAll(str.slice(start2, pos));
  result.pos = pos;
  result.ok = true;
  return result;
}
function parseLinkTitle(str, start2, max, prev_state) {
  let code2;
  let pos = start2;
  const state = {
    ok: false,
    can_continue: false,
    pos: 0,
    str: "",
    marker: 0
  };
  if (prev_state) {
    state.str = prev_state.str;
    state.marker = prev_state.marker;
  } else {
    if (pos >= max) return state;
    let marker = str.charCodeAt(pos);
    if (marker !== 34 && marker !== 39 && marker !== 40) return state;
    start2++;
    pos++;
    if (marker === 40) marker = 41;
    state.marker = marker;
  }
  while (pos < max) {
    code2 = str.charCodeAt(pos);
    if (code2 === state.marker) {
      state.pos = pos + 1;
      state.str += unescapeAll(str.slice(start2, pos));
      state.ok = true;
      return state;
    } else if (code2 === 40 && state.marker === 41) return state;
    else if (code2 === 92 && pos + 1 < max) pos++;
    pos++;
  }
  state.can_continue = true;
  state.str += unescapeAll(str.slice(start2, pos));
  return state;
}
var helpers_exports = /* @__PURE__ */ __exportAll({
  parseLinkDestination: () => parseLinkDestination,
  parseLinkLabel: () => parseLinkLabel,
  parseLinkTitle: () => parseLinkTitle
});
function _typeof(o5) {
  "@babel/helpers - typeof";
  return _typeof = "function" == typeof Symbol && "symbol" == typeof Symbol.iterator ? function(o6) {
    return typeof o6;
  } : function(o6) {
    return o6 && "function" == typeof Symbol && o6.constructor === Symbol && o6 !== Symbol.prototype ? "symbol" : typeof o6;
  }, _typeof(o5);
}
function toPrimitive(t5, r4) {
  if ("object" != _typeof(t5) || !t5) return t5;
  var e4 = t5[Symbol.toPrimitive];
  if (void 0 !== e4) {
    var i4 = e4.call(t5, r4 || "default");
    if ("object" != _typeof(i4)) return i4;
    throw new TypeError("@@toPrimitive must return a primitive value.");
  }
  return ("string" === r4 ? String : Number)(t5);
}
function toPropertyKey(t5) {
  var i4 = toPrimitive(t5, "string");
  return "symbol" == _typeof(i4) ? i4 : i4 + "";
}
function _defineProperty(e4, r4, t5) {
  return (r4 = toPropertyKey(r4)) in e4 ? Object.defineProperty(e4, r4, {
    value: t5,
    enumerable: true,
    configurable: true,
    writable: true
  }) : e4[r4] = t5, e4;
}
var Token = class {
  constructor(type, tag, nesting) {
    _defineProperty(
      this,
      /**
      * Source map info. Format: `[ line_begin, line_end ]`
      */
      "map",
      null
    );
    _defineProperty(
      this,
      /**
      * nesting level, the same as `state.level`
      */
      "level",
      0
    );
    _defineProperty(
      this,
      /**
      * An array of child nodes (inline and img tokens)
      */
      "children",
      null
    );
    _defineProperty(
      this,
      /**
      * In a case of self-closing tag (code, html, fence, etc.),
      * it has contents of this tag.
      */
      "content",
      ""
    );
    _defineProperty(
      this,
      /**
      * '*' or '_' for emphasis, fence string for fence, etc.
      */
      "markup",
      ""
    );
    _defineProperty(
      this,
      /**
      * Additional information:
      *
      * - Info string for "fence" tokens
      * - The value "auto" for autolink "link_open" and "link_close" tokens
      * - The string value of the item marker for ordered-list "list_item_open" tokens
      */
      "info",
      ""
    );
    _defineProperty(
      this,
      /**
      * True for block-level tokens, false for inline tokens.
      * Used in renderer to calculate line breaks
      */
      "block",
      false
    );
    _defineProperty(
      this,
      /**
      * If it's true, ignore this element when rendering. Used for tight lists
      * to hide paragraphs.
      */
      "hidden",
      false
    );
    this.type = type;
    this.tag = tag;
    this.attrs = null;
    this.nesting = nesting;
    this.meta = null;
  }
  /**
  * Search attribute index by name.
  */
  attrIndex(name) {
    if (!this.attrs) return -1;
    const attrs = this.attrs;
    for (let i4 = 0, len = attrs.length; i4 < len; i4++) if (attrs[i4][0] === name) return i4;
    return -1;
  }
  /**
  * Add `[ name, value ]` attribute to list. Init attrs if necessary
  */
  attrPush(attrData) {
    if (this.attrs) this.attrs.push(attrData);
    else this.attrs = [attrData];
  }
  /**
  * Set `name` attribute to `value`. Override old value if exists.
  */
  attrSet(name, value) {
    const idx = this.attrIndex(name);
    const attrData = [name, value];
    if (idx < 0) this.attrPush(attrData);
    else this.attrs[idx] = attrData;
  }
  /**
  * Get the value of attribute `name`, or null if it does not exist.
  */
  attrGet(name) {
    const idx = this.attrIndex(name);
    let value = null;
    if (idx >= 0) value = this.attrs[idx][1];
    return value;
  }
  /**
  * Join value to existing attribute via space. Or create new attribute if not
  * exists. Useful to operate with token classes.
  */
  attrJoin(name, value) {
    const idx = this.attrIndex(name);
    if (idx < 0) this.attrPush([name, value]);
    else this.attrs[idx][1] = `${this.attrs[idx][1]} ${value}`;
  }
};
var Ruler = class {
  constructor() {
    _defineProperty(
      this,
      /** @internal */
      "__rules__",
      []
    );
    _defineProperty(
      this,
      /** @internal */
      "__cache__",
      null
    );
  }
  /** @internal */
  __find__(name) {
    for (let i4 = 0; i4 < this.__rules__.length; i4++) if (this.__rules__[i4].name === name) return i4;
    return -1;
  }
  /** @internal */
  __compile__() {
    const chains = /* @__PURE__ */ new Set();
    this.__rules__.forEach((rule) => {
      if (!rule.enabled) return;
      rule.alt.forEach((altName) => {
        if (altName) chains.add(altName);
      });
    });
    this.__cache__ = /* @__PURE__ */ Object.create(null);
    this.__cache__[""] = [];
    this.__rules__.forEach((rule) => {
      if (rule.enabled) this.__cache__[""].push(rule.fn);
    });
    chains.forEach((chain) => {
      this.__cache__[chain] = [];
      this.__rules__.forEach((rule) => {
        if (rule.enabled && rule.alt.indexOf(chain) >= 0) this.__cache__[chain].push(rule.fn);
      });
    });
  }
  /**
  * Replace rule by name with new function & options. Throws error if name not
  * found.
  *
  * @example Replace existing typographer replacement rule with new one
  * ```javascript
  * import MarkdownIt from 'markdown-it'
  * const md = new MarkdownIt()
  *
  * md.core.ruler.at('replacements', function replace(state) {
  *   //...
  * });
  * ```
  */
  at(name, fn2, options = {}) {
    const index = this.__find__(name);
    if (index === -1) throw new Error(`Parser rule not found: ${name}`);
    this.__rules__[index].fn = fn2;
    this.__rules__[index].alt = options.alt || [];
    this.__cache__ = null;
  }
  /**
  * Add new rule to chain before one with given name. See also
  * {@link Ruler.after}, {@link Ruler.push}.
  *
  * @example
  * ```javascript
  * import MarkdownIt from 'markdown-it'
  * const md = new MarkdownIt()
  *
  * md.block.ruler.before('paragraph', 'my_rule', function replace(state) {
  *   //...
  * });
  * ```
  */
  before(beforeName, ruleName, fn2, options = {}) {
    const index = this.__find__(beforeName);
    if (index === -1) throw new Error(`Parser rule not found: ${beforeName}`);
    this.__rules__.splice(index, 0, {
      name: ruleName,
      enabled: true,
      fn: fn2,
      alt: options.alt || []
    });
    this.__cache__ = null;
  }
  /**
  * Add new rule to chain after one with given name. See also
  * {@link Ruler.before}, {@link Ruler.push}.
  *
  * @example
  * ```javascript
  * import MarkdownIt from 'markdown-it'
  * const md = new MarkdownIt()
  *
  * md.inline.ruler.after('text', 'my_rule', function replace(state) {
  *   //...
  * });
  * ```
  */
  after(afterName, ruleName, fn2, options = {}) {
    const index = this.__find__(afterName);
    if (index === -1) throw new Error(`Parser rule not found: ${afterName}`);
    this.__rules__.splice(index + 1, 0, {
      name: ruleName,
      enabled: true,
      fn: fn2,
      alt: options.alt || []
    });
    this.__cache__ = null;
  }
  /**
  * Push new rule to the end of chain. See also
  * {@link Ruler.before}, {@link Ruler.after}.
  *
  * @example
  * ```javascript
  * import MarkdownIt from 'markdown-it'
  * const md = new MarkdownIt()
  *
  * md.core.ruler.push('my_rule', function replace(state) {
  *   //...
  * });
  * ```
  */
  push(ruleName, fn2, options = {}) {
    this.__rules__.push({
      name: ruleName,
      enabled: true,
      fn: fn2,
      alt: options.alt || []
    });
    this.__cache__ = null;
  }
  /**
  * Enable rules with given names. If any rule name not found - throw Error.
  * Errors can be disabled by second param.
  *
  * See also {@link Ruler.disable}, {@link Ruler.enableOnly}.
  *
  * Returns list of found rule names (if no exception happened).
  */
  enable(list2, ignoreInvalid = false) {
    if (!Array.isArray(list2)) list2 = [list2];
    const result = [];
    list2.forEach((name) => {
      const idx = this.__find__(name);
      if (idx < 0) {
        if (ignoreInvalid) return;
        throw new Error(`Rules manager: invalid rule name ${name}`);
      }
      this.__rules__[idx].enabled = true;
      result.push(name);
    });
    this.__cache__ = null;
    return result;
  }
  /**
  * Enable rules with given names, and disable everything else. If any rule name
  * not found - throw Error. Errors can be disabled by second param.
  *
  * See also {@link Ruler.disable}, {@link Ruler.enable}.
  */
  enableOnly(list2, ignoreInvalid = false) {
    if (!Array.isArray(list2)) list2 = [list2];
    this.__rules__.forEach((rule) => {
      rule.enabled = false;
    });
    this.enable(list2, ignoreInvalid);
  }
  /**
  * Disable rules with given names. If any rule name not found - throw Error.
  * Errors can be disabled by second param.
  *
  * See also {@link Ruler.enable}, {@link Ruler.enableOnly}.
  *
  * Returns list of found rule names (if no exception happened).
  */
  disable(list2, ignoreInvalid = false) {
    if (!Array.isArray(list2)) list2 = [list2];
    const result = [];
    list2.forEach((name) => {
      const idx = this.__find__(name);
      if (idx < 0) {
        if (ignoreInvalid) return;
        throw new Error(`Rules manager: invalid rule name ${name}`);
      }
      this.__rules__[idx].enabled = false;
      result.push(name);
    });
    this.__cache__ = null;
    return result;
  }
  /**
  * Return array of active functions (rules) for given chain name. It analyzes
  * rules configuration, compiles caches if not exists and returns result.
  *
  * Default chain name is `''` (empty string). It can't be skipped. That's
  * done intentionally, to keep signature monomorphic for high speed.
  */
  getRules(chainName) {
    if (!this.__cache__) this.__compile__();
    return this.__cache__[chainName] || [];
  }
};
var default_rules = {};
default_rules.code_inline = function(tokens, idx, options, env, slf) {
  const token = tokens[idx];
  return `<code${slf.renderAttrs(token)}>${escapeHtml(token.content)}</code>`;
};
default_rules.code_block = function(tokens, idx, options, env, slf) {
  const token = tokens[idx];
  return `<pre${slf.renderAttrs(token)}><code>${escapeHtml(tokens[idx].content)}</code></pre>
`;
};
default_rules.fence = function(tokens, idx, options, env, slf) {
  const token = tokens[idx];
  const info = token.info ? unescapeAll(token.info).trim() : "";
  let langName = "";
  let langAttrs = "";
  if (info) {
    const arr = info.split(/(\s+)/g);
    langName = arr[0];
    langAttrs = arr.slice(2).join("");
  }
  let highlighted;
  if (options.highlight) highlighted = options.highlight(token.content, langName, langAttrs) || escapeHtml(token.content);
  else highlighted = escapeHtml(token.content);
  if (highlighted.indexOf("<pre") === 0) return highlighted + "\n";
  if (info) {
    const i4 = token.attrIndex("class");
    const tmpAttrs = token.attrs ? token.attrs.slice() : [];
    if (i4 < 0) tmpAttrs.push(["class", `${options.langPrefix}${langName}`]);
    else {
      tmpAttrs[i4] = [tmpAttrs[i4][0], tmpAttrs[i4][1]];
      tmpAttrs[i4][1] += ` ${options.langPrefix}${langName}`;
    }
    const tmpToken = { attrs: tmpAttrs };
    return `<pre><code${slf.renderAttrs(tmpToken)}>${highlighted}</code></pre>
`;
  }
  return `<pre><code${slf.renderAttrs(token)}>${highlighted}</code></pre>
`;
};
default_rules.image = function(tokens, idx, options, env, slf) {
  const token = tokens[idx];
  token.attrs[token.attrIndex("alt")][1] = slf.renderInlineAsText(token.children, options, env);
  return slf.renderToken(tokens, idx, options);
};
default_rules.hardbreak = function(tokens, idx, options) {
  return options.xhtmlOut ? "<br />\n" : "<br>\n";
};
default_rules.softbreak = function(tokens, idx, options) {
  return options.breaks ? options.xhtmlOut ? "<br />\n" : "<br>\n" : "\n";
};
default_rules.text = function(tokens, idx) {
  return escapeHtml(tokens[idx].content);
};
default_rules.html_block = function(tokens, idx) {
  return tokens[idx].content;
};
default_rules.html_inline = function(tokens, idx) {
  return tokens[idx].content;
};
var Renderer = class {
  constructor() {
    _defineProperty(
      this,
      /**
      * Contains render rules for tokens. Can be updated and extended.
      *
      * See [source code](https://github.com/markdown-it/markdown-it/blob/master/src/renderer.ts)
      * for more details and examples.
      *
      * @example Custom render rules
      * ```javascript
      * import MarkdownIt from 'markdown-it'
      * const md = new MarkdownIt()
      *
      * md.renderer.rules.strong_open  = function () { return '<b>'; };
      * md.renderer.rules.strong_close = function () { return '</b>'; };
      *
      * const result = md.renderInline(...);
      * ```
      *
      * @example Each rule is called as independent static function with fixed signature
      * ```javascript
      * function my_token_render(tokens, idx, options, env, renderer) {
      *   // ...
      *   return renderedHTML;
      * }
      * ```
      */
      "rules",
      Object.assign({}, default_rules)
    );
  }
  /**
  * Render token attributes to string.
  */
  renderAttrs(token) {
    let i4, l4, result;
    if (!token.attrs) return "";
    result = "";
    for (i4 = 0, l4 = token.attrs.length; i4 < l4; i4++) result += ` ${escapeHtml(token.attrs[i4][0])}="${escapeHtml(String(token.attrs[i4][1]))}"`;
    return result;
  }
  /**
  * Default token renderer. Can be overriden by custom function
  * in {@link Renderer.rules}.
  */
  renderToken(tokens, idx, options) {
    const token = tokens[idx];
    let result = "";
    if (token.hidden) return "";
    let prev = idx - 1;
    while (prev >= 0 && tokens[prev].hidden && tokens[prev].nesting === 0) prev--;
    if (token.block && token.nesting !== -1 && prev >= 0 && tokens[prev].hidden && tokens[prev].nesting === -1) result += "\n";
    result += (token.nesting === -1 ? "</" : "<") + token.tag;
    result += this.renderAttrs(token);
    if (token.nesting === 0 && options.xhtmlOut) result += " /";
    let needLf = false;
    if (token.block) {
      needLf = true;
      if (token.nesting === 1) {
        let next = idx + 1;
        while (next < tokens.length && tokens[next].hidden && tokens[next].nesting === 0) next++;
        if (next < tokens.length) {
          const nextToken = tokens[next];
          if (nextToken.type === "inline" || nextToken.hidden) needLf = false;
          else if (nextToken.nesting === -1 && nextToken.tag === token.tag) needLf = false;
        }
      }
    }
    result += needLf ? ">\n" : ">";
    return result;
  }
  /**
  * The same as {@link Renderer.render}, but for single token of `inline` type.
  */
  renderInline(tokens, options, env) {
    let result = "";
    const rules = this.rules;
    for (let i4 = 0, len = tokens.length; i4 < len; i4++) {
      const type = tokens[i4].type;
      if (typeof rules[type] !== "undefined") result += rules[type](tokens, i4, options, env, this);
      else result += this.renderToken(tokens, i4, options);
    }
    return result;
  }
  /**
  * Special kludge for image `alt` attributes to conform CommonMark spec.
  * Don't try to use it! Spec requires to show `alt` content with stripped markup,
  * instead of simple escaping.
  */
  renderInlineAsText(tokens, options, env) {
    let result = "";
    for (let i4 = 0, len = tokens.length; i4 < len; i4++) switch (tokens[i4].type) {
      case "text":
      case "code_inline":
        result += tokens[i4].content;
        break;
      case "image":
        result += this.renderInlineAsText(tokens[i4].children, options, env);
        break;
      case "html_inline":
      case "html_block":
        result += tokens[i4].content;
        break;
      case "softbreak":
      case "hardbreak":
        result += "\n";
    }
    return result;
  }
  /**
  * Takes token stream and generates HTML. Probably, you will never need to call
  * this method directly.
  */
  render(tokens, options, env) {
    let result = "";
    const rules = this.rules;
    for (let i4 = 0, len = tokens.length; i4 < len; i4++) {
      const type = tokens[i4].type;
      if (type === "inline") result += this.renderInline(tokens[i4].children, options, env);
      else if (typeof rules[type] !== "undefined") result += rules[type](tokens, i4, options, env, this);
      else result += this.renderToken(tokens, i4, options);
    }
    return result;
  }
};
var StateCore = class {
  constructor(src, md, env) {
    _defineProperty(this, "tokens", []);
    _defineProperty(this, "inlineMode", false);
    _defineProperty(this, "Token", Token);
    this.src = src;
    this.env = env;
    this.md = md;
  }
};
var UNNORMALIZED_NEWLINE_RE = /\r\n?/g;
var NULL_RE = /\0/g;
function normalize(state) {
  let str;
  str = state.src.replace(UNNORMALIZED_NEWLINE_RE, "\n");
  str = str.replace(NULL_RE, "�");
  state.src = str;
}
function block(state) {
  let token;
  if (state.inlineMode) {
    token = new state.Token("inline", "", 0);
    token.content = state.src;
    token.map = [0, 1];
    token.children = [];
    state.tokens.push(token);
  } else state.md.block.parse(state.src, state.md, state.env, state.tokens);
}
function strip_references(state) {
  const tokens = state.tokens;
  let last2 = 0;
  for (let curr = 0; curr < tokens.length; curr++) {
    if (tokens[curr].type === "reference_definition") continue;
    if (curr !== last2) tokens[last2] = tokens[curr];
    last2++;
  }
  if (tokens.length !== last2) tokens.length = last2;
}
function inline(state) {
  const tokens = state.tokens;
  for (let i4 = 0, l4 = tokens.length; i4 < l4; i4++) {
    const tok = tokens[i4];
    if (tok.type === "inline") state.md.inline.parse(tok.content, state.md, state.env, tok.children);
  }
}
function isLinkOpen$1(str) {
  return /^<a[>\s]/i.test(str);
}
function isLinkClose$1(str) {
  return /^<\/a\s*>/i.test(str);
}
function linkify$1(state) {
  const blockTokens = state.tokens;
  if (!state.md.options.linkify) return;
  for (let j4 = 0, l4 = blockTokens.length; j4 < l4; j4++) {
    if (blockTokens[j4].type !== "inline" || !state.md.linkify.test(blockTokens[j4].content)) continue;
    const tokens = blockTokens[j4].children;
    const replacements = [];
    let htmlLinkLevel = 0;
    for (let i4 = tokens.length - 1; i4 >= 0; i4--) {
      const currentToken = tokens[i4];
      if (currentToken.type === "link_close") {
        i4--;
        while (tokens[i4].level !== currentToken.level && tokens[i4].type !== "link_open") i4--;
        continue;
      }
      if (currentToken.type === "html_inline") {
        if (isLinkOpen$1(currentToken.content) && htmlLinkLevel > 0) htmlLinkLevel--;
        if (isLinkClose$1(currentToken.content)) htmlLinkLevel++;
      }
      if (htmlLinkLevel > 0) continue;
      if (currentToken.type === "text" && state.md.linkify.test(currentToken.content)) {
        const text3 = currentToken.content;
        let links = state.md.linkify.match(text3);
        const nodes = [];
        let level = currentToken.level;
        let lastPos = 0;
        if (links.length > 0 && links[0].index === 0 && i4 > 0 && tokens[i4 - 1].type === "text_special") links = links.slice(1);
        for (let ln2 = 0; ln2 < links.length; ln2++) {
          const url = links[ln2].url;
          const fullUrl = state.md.normalizeLink(url);
          if (!state.md.validateLink(fullUrl)) continue;
          let urlText = links[ln2].text;
          if (!links[ln2].schema) urlText = state.md.normalizeLinkText(`http://${urlText}`).replace(/^http:\/\//, "");
          else if (links[ln2].schema === "mailto:" && !/^mailto:/i.test(urlText)) urlText = state.md.normalizeLinkText(`mailto:${urlText}`).replace(/^mailto:/, "");
          else urlText = state.md.normalizeLinkText(urlText);
          const pos = links[ln2].index;
          if (pos > lastPos) {
            const token = new state.Token("text", "", 0);
            token.content = text3.slice(lastPos, pos);
            token.level = level;
            nodes.push(token);
          }
          const token_o = new state.Token("link_open", "a", 1);
          token_o.attrs = [["href", fullUrl]];
          token_o.level = level++;
          token_o.markup = "linkify";
          token_o.info = "auto";
          nodes.push(token_o);
          const token_t = new state.Token("text", "", 0);
          token_t.content = urlText;
          token_t.level = level;
          nodes.push(token_t);
          const token_c = new state.Token("link_close", "a", -1);
          token_c.level = --level;
          token_c.markup = "linkify";
          token_c.info = "auto";
          nodes.push(token_c);
          lastPos = links[ln2].lastIndex;
        }
        if (lastPos < text3.length) {
          const token = new state.Token("text", "", 0);
          token.content = text3.slice(lastPos);
          token.level = level;
          nodes.push(token);
        }
        replacements.push({
          index: i4,
          nodes
        });
      }
    }
    if (replacements.length > 0) {
      let newTokensLength = tokens.length;
      for (const replacement of replacements) newTokensLength += replacement.nodes.length - 1;
      const newTokens = new Array(newTokensLength);
      let replacementIndex = 0;
      let newTokenIndex = 0;
      replacements.reverse();
      for (let i4 = 0; i4 < tokens.length; i4++) {
        const replacement = replacements[replacementIndex];
        if ((replacement === null || replacement === void 0 ? void 0 : replacement.index) === i4) {
          for (const node of replacement.nodes) newTokens[newTokenIndex++] = node;
          replacementIndex++;
        } else newTokens[newTokenIndex++] = tokens[i4];
      }
      blockTokens[j4].children = newTokens;
    }
  }
}
var RARE_RE = /\+-|\.\.|\?\?\?\?|!!!!|,,|--/;
var SCOPED_ABBR_TEST_RE = /\((c|tm|r)\)/i;
var SCOPED_ABBR_RE = /\((c|tm|r)\)/gi;
var SCOPED_ABBR = {
  c: "©",
  r: "®",
  tm: "™"
};
function replaceFn(match, name) {
  return SCOPED_ABBR[name.toLowerCase()];
}
function replace_scoped(inlineTokens) {
  let inside_autolink = 0;
  for (let i4 = inlineTokens.length - 1; i4 >= 0; i4--) {
    const token = inlineTokens[i4];
    if (token.type === "text" && !inside_autolink) token.content = token.content.replace(SCOPED_ABBR_RE, replaceFn);
    if (token.type === "link_open" && token.info === "auto") inside_autolink--;
    if (token.type === "link_close" && token.info === "auto") inside_autolink++;
  }
}
function replace_rare(inlineTokens) {
  let inside_autolink = 0;
  for (let i4 = inlineTokens.length - 1; i4 >= 0; i4--) {
    const token = inlineTokens[i4];
    if (token.type === "text" && !inside_autolink) {
      if (RARE_RE.test(token.content)) token.content = token.content.replace(/\+-/g, "±").replace(/\.{2,}/g, "…").replace(/([?!])…/g, "$1..").replace(/([?!]){4,}/g, "$1$1$1").replace(/,{2,}/g, ",").replace(/(^|[^-])---(?=[^-]|$)/gm, "$1—").replace(/(^|\s)--(?=\s|$)/gm, "$1–").replace(/(^|[^-\s])--(?=[^-\s]|$)/gm, "$1–");
    }
    if (token.type === "link_open" && token.info === "auto") inside_autolink--;
    if (token.type === "link_close" && token.info === "auto") inside_autolink++;
  }
}
function replace(state) {
  let blkIdx;
  if (!state.md.options.typographer) return;
  for (blkIdx = state.tokens.length - 1; blkIdx >= 0; blkIdx--) {
    if (state.tokens[blkIdx].type !== "inline") continue;
    if (SCOPED_ABBR_TEST_RE.test(state.tokens[blkIdx].content)) replace_scoped(state.tokens[blkIdx].children);
    if (RARE_RE.test(state.tokens[blkIdx].content)) replace_rare(state.tokens[blkIdx].children);
  }
}
var QUOTE_TEST_RE = /['"]/;
var QUOTE_RE = /['"]/g;
var APOSTROPHE = "’";
var MAX_OPENERS = 1e3;
function truncateStack(stack, heads, length2) {
  while (stack.length > length2) {
    const item = stack.pop();
    if (item.isSingleQuote) heads.single = item.prevSameQuoteIdx;
    else heads.double = item.prevSameQuoteIdx;
  }
}
function addReplacement(replacements, tokenIdx, pos, ch) {
  if (!replacements[tokenIdx]) replacements[tokenIdx] = [];
  replacements[tokenIdx].push({
    pos,
    ch
  });
}
function applyReplacements(str, replacements) {
  let result = "";
  let lastPos = 0;
  replacements.sort((a5, b5) => a5.pos - b5.pos);
  for (let i4 = 0; i4 < replacements.length; i4++) {
    const replacement = replacements[i4];
    result += str.slice(lastPos, replacement.pos) + replacement.ch;
    lastPos = replacement.pos + 1;
  }
  return result + str.slice(lastPos);
}
function process_inlines(tokens, state) {
  let j4;
  const stack = [];
  const heads = {
    single: -1,
    double: -1
  };
  const replacements = {};
  for (let i4 = 0; i4 < tokens.length; i4++) {
    const token = tokens[i4];
    const thisLevel = tokens[i4].level;
    for (j4 = stack.length - 1; j4 >= 0; j4--) if (stack[j4].level <= thisLevel) break;
    truncateStack(stack, heads, j4 + 1);
    if (token.type !== "text") continue;
    const text3 = token.content;
    let pos = 0;
    const max = text3.length;
    OUTER: while (pos < max) {
      QUOTE_RE.lastIndex = pos;
      const t5 = QUOTE_RE.exec(text3);
      if (!t5) break;
      let canOpen = true;
      let canClose = true;
      pos = t5.index + 1;
      const isSingle = t5[0] === "'";
      let lastChar = 32;
      if (t5.index - 1 >= 0) lastChar = text3.charCodeAt(t5.index - 1);
      else for (j4 = i4 - 1; j4 >= 0; j4--) {
        if (tokens[j4].type === "softbreak" || tokens[j4].type === "hardbreak") break;
        if (!tokens[j4].content) continue;
        lastChar = tokens[j4].content.charCodeAt(tokens[j4].content.length - 1);
        break;
      }
      let nextChar = 32;
      if (pos < max) nextChar = text3.charCodeAt(pos);
      else for (j4 = i4 + 1; j4 < tokens.length; j4++) {
        if (tokens[j4].type === "softbreak" || tokens[j4].type === "hardbreak") break;
        if (!tokens[j4].content) continue;
        nextChar = tokens[j4].content.charCodeAt(0);
        break;
      }
      const isLastPunctChar = isMdAsciiPunct(lastChar) || isPunctCharCode(lastChar);
      const isNextPunctChar = isMdAsciiPunct(nextChar) || isPunctCharCode(nextChar);
      const isLastWhiteSpace = isWhiteSpace(lastChar);
      const isNextWhiteSpace = isWhiteSpace(nextChar);
      if (isNextWhiteSpace) canOpen = false;
      else if (isNextPunctChar) {
        if (!(isLastWhiteSpace || isLastPunctChar)) canOpen = false;
      }
      if (isLastWhiteSpace) canClose = false;
      else if (isLastPunctChar) {
        if (!(isNextWhiteSpace || isNextPunctChar)) canClose = false;
      }
      if (nextChar === 34 && t5[0] === '"') {
        if (lastChar >= 48 && lastChar <= 57) canClose = canOpen = false;
      }
      if (canOpen && canClose) {
        canOpen = isLastPunctChar;
        canClose = isNextPunctChar;
      }
      if (!canOpen && !canClose) {
        if (isSingle) addReplacement(replacements, i4, t5.index, APOSTROPHE);
        continue;
      }
      if (canClose) {
        j4 = isSingle ? heads.single : heads.double;
        if (j4 >= 0 && stack[j4].level === thisLevel) {
          const item = stack[j4];
          let openQuote;
          let closeQuote;
          if (isSingle) {
            openQuote = state.md.options.quotes[2];
            closeQuote = state.md.options.quotes[3];
          } else {
            openQuote = state.md.options.quotes[0];
            closeQuote = state.md.options.quotes[1];
          }
          addReplacement(replacements, i4, t5.index, closeQuote);
          addReplacement(replacements, item.tokenIdx, item.contentPos, openQuote);
          truncateStack(stack, heads, j4);
          continue OUTER;
        }
      }
      if (canOpen) {
        if (stack.length >= MAX_OPENERS) return;
        stack.push({
          tokenIdx: i4,
          contentPos: t5.index,
          isSingleQuote: isSingle,
          level: thisLevel,
          prevSameQuoteIdx: isSingle ? heads.single : heads.double
        });
        if (isSingle) heads.single = stack.length - 1;
        else heads.double = stack.length - 1;
      } else if (canClose && isSingle) addReplacement(replacements, i4, t5.index, APOSTROPHE);
    }
  }
  Object.keys(replacements).forEach(function(tokenIdx) {
    const idx = Number(tokenIdx);
    tokens[idx].content = applyReplacements(tokens[idx].content, replacements[tokenIdx]);
  });
}
function smartquotes(state) {
  if (!state.md.options.typographer) return;
  for (let blkIdx = state.tokens.length - 1; blkIdx >= 0; blkIdx--) {
    if (state.tokens[blkIdx].type !== "inline" || !QUOTE_TEST_RE.test(state.tokens[blkIdx].content)) continue;
    process_inlines(state.tokens[blkIdx].children, state);
  }
}
function join_alt(tokens) {
  let curr, last2;
  const max = tokens.length;
  for (curr = 0; curr < max; curr++) if (tokens[curr].type === "text_special") tokens[curr].type = "text";
  for (curr = last2 = 0; curr < max; curr++) if (tokens[curr].type === "text" && curr + 1 < max && tokens[curr + 1].type === "text") tokens[curr + 1].content = tokens[curr].content + tokens[curr + 1].content;
  else {
    if (curr !== last2) tokens[last2] = tokens[curr];
    last2++;
  }
  if (curr !== last2) tokens.length = last2;
}
function text_join(state) {
  let curr, last2;
  const blockTokens = state.tokens;
  const l4 = blockTokens.length;
  for (let j4 = 0; j4 < l4; j4++) {
    if (blockTokens[j4].type !== "inline") continue;
    const tokens = blockTokens[j4].children;
    const max = tokens.length;
    for (curr = 0; curr < max; curr++) {
      if (tokens[curr].type === "text_special") tokens[curr].type = "text";
      if (tokens[curr].children) join_alt(tokens[curr].children);
    }
    for (curr = last2 = 0; curr < max; curr++) if (tokens[curr].type === "text" && curr + 1 < max && tokens[curr + 1].type === "text") tokens[curr + 1].content = tokens[curr].content + tokens[curr + 1].content;
    else {
      if (curr !== last2) tokens[last2] = tokens[curr];
      last2++;
    }
    if (curr !== last2) tokens.length = last2;
  }
}
var _rules$2 = [
  ["normalize", normalize],
  ["block", block],
  ["strip_references", strip_references],
  ["inline", inline],
  ["linkify", linkify$1],
  ["replacements", replace],
  ["smartquotes", smartquotes],
  ["text_join", text_join]
];
var ParserCore = class {
  constructor() {
    _defineProperty(
      this,
      /**
      * {@link Ruler} instance. Keep configuration of core rules.
      */
      "ruler",
      new Ruler()
    );
    _defineProperty(this, "State", StateCore);
    for (let i4 = 0; i4 < _rules$2.length; i4++) this.ruler.push(_rules$2[i4][0], _rules$2[i4][1]);
  }
  /**
  * Executes core chain rules.
  */
  process(state) {
    const rules = this.ruler.getRules("");
    for (let i4 = 0, l4 = rules.length; i4 < l4; i4++) rules[i4](state);
  }
};
var StateBlock = class {
  constructor(src, md, env, tokens) {
    _defineProperty(this, "bMarks", []);
    _defineProperty(this, "eMarks", []);
    _defineProperty(this, "tShift", []);
    _defineProperty(this, "sCount", []);
    _defineProperty(this, "bsCount", []);
    _defineProperty(this, "blkIndent", 0);
    _defineProperty(this, "line", 0);
    _defineProperty(this, "lineMax", 0);
    _defineProperty(this, "tight", false);
    _defineProperty(this, "listIndent", -1);
    _defineProperty(this, "parentType", "root");
    _defineProperty(this, "level", 0);
    _defineProperty(this, "Token", Token);
    this.src = src;
    this.md = md;
    this.env = env;
    this.tokens = tokens;
    const s4 = this.src;
    for (let start2 = 0, pos = 0, indent = 0, offset = 0, len = s4.length, indent_found = false; pos < len; pos++) {
      const ch = s4.charCodeAt(pos);
      if (!indent_found) {
        if (isSpace(ch)) {
          indent++;
          if (ch === 9) offset += 4 - offset % 4;
          else offset++;
          continue;
        } else indent_found = true;
      }
      if (ch === 10 || pos === len - 1) {
        if (ch !== 10) pos++;
        this.bMarks.push(start2);
        this.eMarks.push(pos);
        this.tShift.push(indent);
        this.sCount.push(offset);
        this.bsCount.push(0);
        indent_found = false;
        indent = 0;
        offset = 0;
        start2 = pos + 1;
      }
    }
    this.bMarks.push(s4.length);
    this.eMarks.push(s4.length);
    this.tShift.push(0);
    this.sCount.push(0);
    this.bsCount.push(0);
    this.lineMax = this.bMarks.length - 1;
  }
  push(type, tag, nesting) {
    const token = new Token(type, tag, nesting);
    token.block = true;
    if (nesting < 0) this.level--;
    token.level = this.level;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
  isEmpty(line) {
    return this.bMarks[line] + this.tShift[line] >= this.eMarks[line];
  }
  skipEmptyLines(from) {
    for (let max = this.lineMax; from < max; from++) if (this.bMarks[from] + this.tShift[from] < this.eMarks[from]) break;
    return from;
  }
  skipSpaces(pos) {
    for (let max = this.src.length; pos < max; pos++) if (!isSpace(this.src.charCodeAt(pos))) break;
    return pos;
  }
  skipSpacesBack(pos, min) {
    if (pos <= min) return pos;
    while (pos > min) if (!isSpace(this.src.charCodeAt(--pos))) return pos + 1;
    return pos;
  }
  skipChars(pos, code2) {
    for (let max = this.src.length; pos < max; pos++) if (this.src.charCodeAt(pos) !== code2) break;
    return pos;
  }
  skipCharsBack(pos, code2, min) {
    if (pos <= min) return pos;
    while (pos > min) if (code2 !== this.src.charCodeAt(--pos)) return pos + 1;
    return pos;
  }
  getLines(begin, end, indent, keepLastLF) {
    if (begin >= end) return "";
    const queue = new Array(end - begin);
    for (let i4 = 0, line = begin; line < end; line++, i4++) {
      let lineIndent = 0;
      const lineStart = this.bMarks[line];
      let first = lineStart;
      let last2;
      if (line + 1 < end || keepLastLF) last2 = this.eMarks[line] + 1;
      else last2 = this.eMarks[line];
      while (first < last2 && lineIndent < indent) {
        const ch = this.src.charCodeAt(first);
        if (isSpace(ch)) {
          if (ch === 9) lineIndent += 4 - (lineIndent + this.bsCount[line]) % 4;
          else lineIndent++;
        } else if (first - lineStart < this.tShift[line]) lineIndent++;
        else break;
        first++;
      }
      if (lineIndent > indent) queue[i4] = new Array(lineIndent - indent + 1).join(" ") + this.src.slice(first, last2);
      else queue[i4] = this.src.slice(first, last2);
    }
    return queue.join("");
  }
};
var MAX_AUTOCOMPLETED_CELLS = 65536;
function getLine(state, line) {
  const pos = state.bMarks[line] + state.tShift[line];
  const max = state.eMarks[line];
  return state.src.slice(pos, max);
}
function escapedSplit(str) {
  const result = [];
  const max = str.length;
  let pos = 0;
  let ch = str.charCodeAt(pos);
  let isEscaped = false;
  let lastPos = 0;
  let current = "";
  while (pos < max) {
    if (ch === 124) {
      if (!isEscaped) {
        result.push(current + str.substring(lastPos, pos));
        current = "";
        lastPos = pos + 1;
      } else {
        current += str.substring(lastPos, pos - 1);
        lastPos = pos;
      }
    }
    isEscaped = ch === 92;
    pos++;
    ch = str.charCodeAt(pos);
  }
  result.push(current + str.substring(lastPos));
  return result;
}
function table(state, startLine, endLine, silent) {
  if (startLine + 2 > endLine) return false;
  let nextLine = startLine + 1;
  if (state.sCount[nextLine] < state.blkIndent) return false;
  if (state.sCount[nextLine] - state.blkIndent >= 4) return false;
  let pos = state.bMarks[nextLine] + state.tShift[nextLine];
  if (pos >= state.eMarks[nextLine]) return false;
  const firstCh = state.src.charCodeAt(pos++);
  if (firstCh !== 124 && firstCh !== 45 && firstCh !== 58) return false;
  if (pos >= state.eMarks[nextLine]) return false;
  const secondCh = state.src.charCodeAt(pos++);
  if (secondCh !== 124 && secondCh !== 45 && secondCh !== 58 && !isSpace(secondCh)) return false;
  if (firstCh === 45 && isSpace(secondCh)) return false;
  while (pos < state.eMarks[nextLine]) {
    const ch = state.src.charCodeAt(pos);
    if (ch !== 124 && ch !== 45 && ch !== 58 && !isSpace(ch)) return false;
    pos++;
  }
  let lineText = getLine(state, startLine + 1);
  let columns = lineText.split("|");
  const aligns = [];
  for (let i4 = 0; i4 < columns.length; i4++) {
    const t5 = columns[i4].trim();
    if (!t5) {
      if (i4 === 0 || i4 === columns.length - 1) continue;
      else return false;
    }
    if (!/^:?-+:?$/.test(t5)) return false;
    if (t5.charCodeAt(t5.length - 1) === 58) aligns.push(t5.charCodeAt(0) === 58 ? "center" : "right");
    else if (t5.charCodeAt(0) === 58) aligns.push("left");
    else aligns.push("");
  }
  lineText = getLine(state, startLine).trim();
  if (lineText.indexOf("|") === -1) return false;
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  columns = escapedSplit(lineText);
  if (columns.length && columns[0] === "") columns.shift();
  if (columns.length && columns[columns.length - 1] === "") columns.pop();
  const columnCount = columns.length;
  if (columnCount === 0 || columnCount !== aligns.length) return false;
  if (silent) return true;
  const oldParentType = state.parentType;
  state.parentType = "table";
  const terminatorRules = state.md.block.ruler.getRules("blockquote");
  const token_to = state.push("table_open", "table", 1);
  const tableLines = [startLine, 0];
  token_to.map = tableLines;
  const token_tho = state.push("thead_open", "thead", 1);
  token_tho.map = [startLine, startLine + 1];
  const token_htro = state.push("tr_open", "tr", 1);
  token_htro.map = [startLine, startLine + 1];
  for (let i4 = 0; i4 < columns.length; i4++) {
    const token_ho = state.push("th_open", "th", 1);
    if (aligns[i4]) token_ho.attrs = [["style", `text-align:${aligns[i4]}`]];
    const token_il = state.push("inline", "", 0);
    token_il.content = columns[i4].trim();
    token_il.children = [];
    state.push("th_close", "th", -1);
  }
  state.push("tr_close", "tr", -1);
  state.push("thead_close", "thead", -1);
  let tbodyLines;
  let autocompletedCells = 0;
  for (nextLine = startLine + 2; nextLine < endLine; nextLine++) {
    if (state.sCount[nextLine] < state.blkIndent) break;
    let terminate = false;
    for (let i4 = 0, l4 = terminatorRules.length; i4 < l4; i4++) if (terminatorRules[i4](state, nextLine, endLine, true)) {
      terminate = true;
      break;
    }
    if (terminate) break;
    lineText = getLine(state, nextLine).trim();
    if (!lineText) break;
    if (state.sCount[nextLine] - state.blkIndent >= 4) break;
    columns = escapedSplit(lineText);
    if (columns.length && columns[0] === "") columns.shift();
    if (columns.length && columns[columns.length - 1] === "") columns.pop();
    autocompletedCells += columnCount - columns.length;
    if (autocompletedCells > MAX_AUTOCOMPLETED_CELLS) break;
    if (nextLine === startLine + 2) {
      const token_tbo = state.push("tbody_open", "tbody", 1);
      token_tbo.map = tbodyLines = [startLine + 2, 0];
    }
    const token_tro = state.push("tr_open", "tr", 1);
    token_tro.map = [nextLine, nextLine + 1];
    for (let i4 = 0; i4 < columnCount; i4++) {
      const token_tdo = state.push("td_open", "td", 1);
      if (aligns[i4]) token_tdo.attrs = [["style", `text-align:${aligns[i4]}`]];
      const token_il = state.push("inline", "", 0);
      token_il.content = columns[i4] ? columns[i4].trim() : "";
      token_il.children = [];
      state.push("td_close", "td", -1);
    }
    state.push("tr_close", "tr", -1);
  }
  if (tbodyLines) {
    state.push("tbody_close", "tbody", -1);
    tbodyLines[1] = nextLine;
  }
  state.push("table_close", "table", -1);
  tableLines[1] = nextLine;
  state.parentType = oldParentType;
  state.line = nextLine;
  return true;
}
function code(state, startLine, endLine) {
  if (state.sCount[startLine] - state.blkIndent < 4) return false;
  let nextLine = startLine + 1;
  let last2 = nextLine;
  while (nextLine < endLine) {
    if (state.isEmpty(nextLine)) {
      nextLine++;
      continue;
    }
    if (state.sCount[nextLine] - state.blkIndent >= 4) {
      nextLine++;
      last2 = nextLine;
      continue;
    }
    break;
  }
  state.line = last2;
  const token = state.push("code_block", "code", 0);
  token.content = state.getLines(startLine, last2, 4 + state.blkIndent, false) + "\n";
  token.map = [startLine, state.line];
  return true;
}
function fence(state, startLine, endLine, silent) {
  let pos = state.bMarks[startLine] + state.tShift[startLine];
  let max = state.eMarks[startLine];
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  if (pos + 3 > max) return false;
  const marker = state.src.charCodeAt(pos);
  if (marker !== 126 && marker !== 96) return false;
  let mem = pos;
  pos = state.skipChars(pos, marker);
  let len = pos - mem;
  if (len < 3) return false;
  const markup = state.src.slice(mem, pos);
  const params = state.src.slice(pos, max);
  if (marker === 96) {
    if (params.indexOf(String.fromCharCode(marker)) >= 0) return false;
  }
  if (silent) return true;
  let nextLine = startLine;
  let haveEndMarker = false;
  for (; ; ) {
    nextLine++;
    if (nextLine >= endLine) break;
    pos = mem = state.bMarks[nextLine] + state.tShift[nextLine];
    max = state.eMarks[nextLine];
    if (pos < max && state.sCount[nextLine] < state.blkIndent) break;
    if (state.src.charCodeAt(pos) !== marker) continue;
    if (state.sCount[nextLine] - state.blkIndent >= 4) continue;
    pos = state.skipChars(pos, marker);
    if (pos - mem < len) continue;
    pos = state.skipSpaces(pos);
    if (pos < max) continue;
    haveEndMarker = true;
    break;
  }
  len = state.sCount[startLine];
  state.line = nextLine + (haveEndMarker ? 1 : 0);
  const token = state.push("fence", "code", 0);
  token.info = params;
  token.content = state.getLines(startLine + 1, nextLine, len, true);
  token.markup = markup;
  token.map = [startLine, state.line];
  return true;
}
function blockquote(state, startLine, endLine, silent) {
  let pos = state.bMarks[startLine] + state.tShift[startLine];
  let max = state.eMarks[startLine];
  const oldLineMax = state.lineMax;
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  if (state.src.charCodeAt(pos) !== 62) return false;
  if (silent) return true;
  const oldBMarks = [];
  const oldBSCount = [];
  const oldSCount = [];
  const oldTShift = [];
  const terminatorRules = state.md.block.ruler.getRules("blockquote");
  const oldParentType = state.parentType;
  state.parentType = "blockquote";
  let lastLineEmpty = false;
  let nextLine;
  for (nextLine = startLine; nextLine < endLine; nextLine++) {
    const isOutdented = state.sCount[nextLine] < state.blkIndent;
    pos = state.bMarks[nextLine] + state.tShift[nextLine];
    max = state.eMarks[nextLine];
    if (pos >= max) break;
    if (state.src.charCodeAt(pos++) === 62 && !isOutdented) {
      let initial = state.sCount[nextLine] + 1;
      let spaceAfterMarker;
      let adjustTab;
      if (state.src.charCodeAt(pos) === 32) {
        pos++;
        initial++;
        adjustTab = false;
        spaceAfterMarker = true;
      } else if (state.src.charCodeAt(pos) === 9) {
        spaceAfterMarker = true;
        if ((state.bsCount[nextLine] + initial) % 4 === 3) {
          pos++;
          initial++;
          adjustTab = false;
        } else adjustTab = true;
      } else spaceAfterMarker = false;
      let offset = initial;
      oldBMarks.push(state.bMarks[nextLine]);
      state.bMarks[nextLine] = pos;
      while (pos < max) {
        const ch = state.src.charCodeAt(pos);
        if (isSpace(ch)) {
          if (ch === 9) offset += 4 - (offset + state.bsCount[nextLine] + (adjustTab ? 1 : 0)) % 4;
          else offset++;
        } else break;
        pos++;
      }
      lastLineEmpty = pos >= max;
      oldBSCount.push(state.bsCount[nextLine]);
      state.bsCount[nextLine] = state.sCount[nextLine] + 1 + (spaceAfterMarker ? 1 : 0);
      oldSCount.push(state.sCount[nextLine]);
      state.sCount[nextLine] = offset - initial;
      oldTShift.push(state.tShift[nextLine]);
      state.tShift[nextLine] = pos - state.bMarks[nextLine];
      continue;
    }
    if (lastLineEmpty) break;
    let terminate = false;
    for (let i4 = 0, l4 = terminatorRules.length; i4 < l4; i4++) if (terminatorRules[i4](state, nextLine, endLine, true)) {
      terminate = true;
      break;
    }
    if (terminate) {
      state.lineMax = nextLine;
      if (state.blkIndent !== 0) {
        oldBMarks.push(state.bMarks[nextLine]);
        oldBSCount.push(state.bsCount[nextLine]);
        oldTShift.push(state.tShift[nextLine]);
        oldSCount.push(state.sCount[nextLine]);
        state.sCount[nextLine] -= state.blkIndent;
      }
      break;
    }
    oldBMarks.push(state.bMarks[nextLine]);
    oldBSCount.push(state.bsCount[nextLine]);
    oldTShift.push(state.tShift[nextLine]);
    oldSCount.push(state.sCount[nextLine]);
    state.sCount[nextLine] = -1;
  }
  const oldIndent = state.blkIndent;
  state.blkIndent = 0;
  const token_o = state.push("blockquote_open", "blockquote", 1);
  token_o.markup = ">";
  const lines = [startLine, 0];
  token_o.map = lines;
  state.md.block.tokenize(state, startLine, nextLine);
  const token_c = state.push("blockquote_close", "blockquote", -1);
  token_c.markup = ">";
  state.lineMax = oldLineMax;
  state.parentType = oldParentType;
  lines[1] = state.line;
  for (let i4 = 0; i4 < oldTShift.length; i4++) {
    state.bMarks[i4 + startLine] = oldBMarks[i4];
    state.tShift[i4 + startLine] = oldTShift[i4];
    state.sCount[i4 + startLine] = oldSCount[i4];
    state.bsCount[i4 + startLine] = oldBSCount[i4];
  }
  state.blkIndent = oldIndent;
  return true;
}
function hr(state, startLine, endLine, silent) {
  const max = state.eMarks[startLine];
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  let pos = state.bMarks[startLine] + state.tShift[startLine];
  const marker = state.src.charCodeAt(pos++);
  if (marker !== 42 && marker !== 45 && marker !== 95) return false;
  let cnt = 1;
  while (pos < max) {
    const ch = state.src.charCodeAt(pos++);
    if (ch !== marker && !isSpace(ch)) return false;
    if (ch === marker) cnt++;
  }
  if (cnt < 3) return false;
  if (silent) return true;
  state.line = startLine + 1;
  const token = state.push("hr", "hr", 0);
  token.map = [startLine, state.line];
  token.markup = Array(cnt + 1).join(String.fromCharCode(marker));
  return true;
}
function skipBulletListMarker(state, startLine) {
  const max = state.eMarks[startLine];
  let pos = state.bMarks[startLine] + state.tShift[startLine];
  const marker = state.src.charCodeAt(pos++);
  if (marker !== 42 && marker !== 45 && marker !== 43) return -1;
  if (pos < max) {
    if (!isSpace(state.src.charCodeAt(pos))) return -1;
  }
  return pos;
}
function skipOrderedListMarker(state, startLine) {
  const start2 = state.bMarks[startLine] + state.tShift[startLine];
  const max = state.eMarks[startLine];
  let pos = start2;
  if (pos + 1 >= max) return -1;
  let ch = state.src.charCodeAt(pos++);
  if (ch < 48 || ch > 57) return -1;
  for (; ; ) {
    if (pos >= max) return -1;
    ch = state.src.charCodeAt(pos++);
    if (ch >= 48 && ch <= 57) {
      if (pos - start2 >= 10) return -1;
      continue;
    }
    if (ch === 41 || ch === 46) break;
    return -1;
  }
  if (pos < max) {
    ch = state.src.charCodeAt(pos);
    if (!isSpace(ch)) return -1;
  }
  return pos;
}
function markTightParagraphs(state, idx) {
  const level = state.level + 2;
  for (let i4 = idx + 2, l4 = state.tokens.length - 2; i4 < l4; i4++) if (state.tokens[i4].level === level && state.tokens[i4].type === "paragraph_open") {
    state.tokens[i4 + 2].hidden = true;
    state.tokens[i4].hidden = true;
    i4 += 2;
  }
}
function list(state, startLine, endLine, silent) {
  let max, pos, start2, token;
  let nextLine = startLine;
  let tight = true;
  if (state.sCount[nextLine] - state.blkIndent >= 4) return false;
  if (state.listIndent >= 0 && state.sCount[nextLine] - state.listIndent >= 4 && state.sCount[nextLine] < state.blkIndent) return false;
  let isTerminatingParagraph = false;
  if (silent && state.parentType === "paragraph") {
    if (state.sCount[nextLine] >= state.blkIndent) isTerminatingParagraph = true;
  }
  let isOrdered;
  let markerValue;
  let posAfterMarker;
  if ((posAfterMarker = skipOrderedListMarker(state, nextLine)) >= 0) {
    isOrdered = true;
    start2 = state.bMarks[nextLine] + state.tShift[nextLine];
    markerValue = Number(state.src.slice(start2, posAfterMarker - 1));
    if (isTerminatingParagraph && markerValue !== 1) return false;
  } else if ((posAfterMarker = skipBulletListMarker(state, nextLine)) >= 0) isOrdered = false;
  else return false;
  if (isTerminatingParagraph) {
    if (state.skipSpaces(posAfterMarker) >= state.eMarks[nextLine]) return false;
  }
  if (silent) return true;
  const markerCharCode = state.src.charCodeAt(posAfterMarker - 1);
  const listTokIdx = state.tokens.length;
  if (isOrdered) {
    token = state.push("ordered_list_open", "ol", 1);
    if (markerValue !== 1) token.attrs = [["start", markerValue]];
  } else token = state.push("bullet_list_open", "ul", 1);
  const listLines = [nextLine, 0];
  token.map = listLines;
  token.markup = String.fromCharCode(markerCharCode);
  let prevEmptyEnd = false;
  const terminatorRules = state.md.block.ruler.getRules("list");
  const oldParentType = state.parentType;
  state.parentType = "list";
  while (nextLine < endLine) {
    pos = posAfterMarker;
    max = state.eMarks[nextLine];
    const initial = state.sCount[nextLine] + posAfterMarker - (state.bMarks[nextLine] + state.tShift[nextLine]);
    let offset = initial;
    while (pos < max) {
      const ch = state.src.charCodeAt(pos);
      if (ch === 9) offset += 4 - (offset + state.bsCount[nextLine]) % 4;
      else if (ch === 32) offset++;
      else break;
      pos++;
    }
    const contentStart = pos;
    let indentAfterMarker;
    if (contentStart >= max) indentAfterMarker = 1;
    else indentAfterMarker = offset - initial;
    if (indentAfterMarker > 4) indentAfterMarker = 1;
    const indent = initial + indentAfterMarker;
    token = state.push("list_item_open", "li", 1);
    token.markup = String.fromCharCode(markerCharCode);
    const itemLines = [nextLine, 0];
    token.map = itemLines;
    if (isOrdered) token.info = state.src.slice(start2, posAfterMarker - 1);
    const oldTight = state.tight;
    const oldTShift = state.tShift[nextLine];
    const oldSCount = state.sCount[nextLine];
    const oldListIndent = state.listIndent;
    state.listIndent = state.blkIndent;
    state.blkIndent = indent;
    state.tight = true;
    state.tShift[nextLine] = contentStart - state.bMarks[nextLine];
    state.sCount[nextLine] = offset;
    if (contentStart >= max && state.isEmpty(nextLine + 1)) state.line = Math.min(state.line + 2, endLine);
    else state.md.block.tokenize(state, nextLine, endLine);
    if (!state.tight || prevEmptyEnd) tight = false;
    prevEmptyEnd = state.line - nextLine > 1 && state.isEmpty(state.line - 1);
    state.blkIndent = state.listIndent;
    state.listIndent = oldListIndent;
    state.tShift[nextLine] = oldTShift;
    state.sCount[nextLine] = oldSCount;
    state.tight = oldTight;
    token = state.push("list_item_close", "li", -1);
    token.markup = String.fromCharCode(markerCharCode);
    nextLine = state.line;
    itemLines[1] = nextLine;
    if (nextLine >= endLine) break;
    if (state.sCount[nextLine] < state.blkIndent) break;
    if (state.sCount[nextLine] - state.blkIndent >= 4) break;
    let terminate = false;
    for (let i4 = 0, l4 = terminatorRules.length; i4 < l4; i4++) if (terminatorRules[i4](state, nextLine, endLine, true)) {
      terminate = true;
      break;
    }
    if (terminate) break;
    if (isOrdered) {
      posAfterMarker = skipOrderedListMarker(state, nextLine);
      if (posAfterMarker < 0) break;
      start2 = state.bMarks[nextLine] + state.tShift[nextLine];
    } else {
      posAfterMarker = skipBulletListMarker(state, nextLine);
      if (posAfterMarker < 0) break;
    }
    if (markerCharCode !== state.src.charCodeAt(posAfterMarker - 1)) break;
  }
  if (isOrdered) token = state.push("ordered_list_close", "ol", -1);
  else token = state.push("bullet_list_close", "ul", -1);
  token.markup = String.fromCharCode(markerCharCode);
  listLines[1] = nextLine;
  state.line = nextLine;
  state.parentType = oldParentType;
  if (tight) markTightParagraphs(state, listTokIdx);
  return true;
}
var MAX_LABEL_LENGTH = 999;
function countCodePoints(str) {
  let length2 = str.length;
  for (let i4 = 0; i4 < str.length - 1; i4++) {
    const high = str.charCodeAt(i4);
    if (high < 55296 || high > 56319) continue;
    const low = str.charCodeAt(i4 + 1);
    if (low >= 56320 && low <= 57343) {
      length2--;
      i4++;
    }
  }
  return length2;
}
function lineEnd(state, line) {
  return Math.min(state.eMarks[line] + 1, state.src.length);
}
function getNextLinePos(state, nextLine) {
  const endLine = state.lineMax;
  if (nextLine >= endLine || state.isEmpty(nextLine)) return -1;
  let isContinuation = false;
  if (state.sCount[nextLine] - state.blkIndent > 3) isContinuation = true;
  if (state.sCount[nextLine] < 0) isContinuation = true;
  if (!isContinuation) {
    const terminatorRules = state.md.block.ruler.getRules("reference");
    const oldParentType = state.parentType;
    state.parentType = "reference";
    let terminate = false;
    for (let i4 = 0, l4 = terminatorRules.length; i4 < l4; i4++) if (terminatorRules[i4](state, nextLine, endLine, true)) {
      terminate = true;
      break;
    }
    state.parentType = oldParentType;
    if (terminate) return -1;
  }
  return state.bMarks[nextLine] + state.tShift[nextLine];
}
function reference(state, startLine, _endLine, silent) {
  const src = state.src;
  let pos = state.bMarks[startLine] + state.tShift[startLine];
  let nextLine = startLine + 1;
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  if (src.charCodeAt(pos) !== 91) return false;
  let max = lineEnd(state, startLine);
  let rawLabel = "";
  let labelEnd = -1;
  let segmentStart = ++pos;
  while (pos < max) {
    if (rawLabel.length + pos - segmentStart > MAX_LABEL_LENGTH * 2) return false;
    let ch = src.charCodeAt(pos);
    if (ch === 91) return false;
    if (ch === 93) {
      labelEnd = pos;
      break;
    }
    if (ch === 92) ch = src.charCodeAt(++pos);
    if (ch === 10 && pos < max) {
      const nextPos = getNextLinePos(state, nextLine);
      if (nextPos < 0) return false;
      rawLabel += src.slice(segmentStart, max);
      pos = segmentStart = nextPos;
      max = lineEnd(state, nextLine++);
      continue;
    }
    pos++;
  }
  if (labelEnd < 0 || src.charCodeAt(labelEnd + 1) !== 58) return false;
  rawLabel += src.slice(segmentStart, labelEnd);
  if (rawLabel.length > MAX_LABEL_LENGTH && countCodePoints(rawLabel) > MAX_LABEL_LENGTH) return false;
  pos = labelEnd + 2;
  while (pos < max) {
    const ch = src.charCodeAt(pos);
    if (ch === 10) {
      const nextPos = getNextLinePos(state, nextLine);
      if (nextPos < 0) break;
      pos = nextPos;
      max = lineEnd(state, nextLine++);
    } else if (isSpace(ch)) pos++;
    else break;
  }
  const destRes = state.md.helpers.parseLinkDestination(src, pos, max);
  if (!destRes.ok) return false;
  const href = state.md.normalizeLink(destRes.str);
  if (!state.md.validateLink(href)) return false;
  pos = destRes.pos;
  const destEndPos = pos;
  const destEndMax = max;
  const destEndLineNo = nextLine;
  while (pos < max) {
    const ch = src.charCodeAt(pos);
    if (ch === 10) {
      const nextPos = getNextLinePos(state, nextLine);
      if (nextPos < 0) break;
      pos = nextPos;
      max = lineEnd(state, nextLine++);
    } else if (isSpace(ch)) pos++;
    else break;
  }
  const titleStart = pos;
  let titleRes = state.md.helpers.parseLinkTitle(src, pos, max);
  while (titleRes.can_continue) {
    const nextPos = getNextLinePos(state, nextLine);
    if (nextPos < 0) break;
    pos = nextPos;
    max = lineEnd(state, nextLine++);
    titleRes = state.md.helpers.parseLinkTitle(src, pos, max, titleRes);
  }
  let title;
  if (titleStart !== destEndPos && titleRes.ok) {
    title = titleRes.str;
    pos = titleRes.pos;
  } else {
    title = "";
    pos = destEndPos;
    max = destEndMax;
    nextLine = destEndLineNo;
  }
  while (pos < max) {
    if (!isSpace(src.charCodeAt(pos))) break;
    pos++;
  }
  if (pos < max && src.charCodeAt(pos) !== 10) {
    if (title) {
      title = "";
      pos = destEndPos;
      max = destEndMax;
      nextLine = destEndLineNo;
      while (pos < max) {
        if (!isSpace(src.charCodeAt(pos))) break;
        pos++;
      }
    }
  }
  if (pos < max && src.charCodeAt(pos) !== 10) return false;
  const label = normalizeReference(rawLabel);
  if (!label) return false;
  if (silent) return true;
  if (typeof state.env.references === "undefined") state.env.references = {};
  if (typeof state.env.references[label] === "undefined") state.env.references[label] = {
    title,
    href
  };
  const token = state.push("reference_definition", "", 0);
  token.map = [startLine, nextLine];
  token.hidden = true;
  const meta = /* @__PURE__ */ Object.create(null);
  meta.label = label;
  token.meta = meta;
  state.line = nextLine;
  return true;
}
var html_blocks_default = [
  "address",
  "article",
  "aside",
  "base",
  "basefont",
  "blockquote",
  "body",
  "caption",
  "center",
  "col",
  "colgroup",
  "dd",
  "details",
  "dialog",
  "dir",
  "div",
  "dl",
  "dt",
  "fieldset",
  "figcaption",
  "figure",
  "footer",
  "form",
  "frame",
  "frameset",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "head",
  "header",
  "hr",
  "html",
  "iframe",
  "legend",
  "li",
  "link",
  "main",
  "menu",
  "menuitem",
  "nav",
  "noframes",
  "ol",
  "optgroup",
  "option",
  "p",
  "param",
  "search",
  "section",
  "summary",
  "table",
  "tbody",
  "td",
  "tfoot",
  "th",
  "thead",
  "title",
  "tr",
  "track",
  "ul"
];
var open_tag = `<[A-Za-z][A-Za-z0-9\\-]*(?:\\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\\s*=\\s*(?:[^"'=<>\`\\x00-\\x20]+|'[^']*'|"[^"]*"))?)*\\s*\\/?>`;
var close_tag = "<\\/[A-Za-z][A-Za-z0-9\\-]*\\s*>";
new RegExp(`^(?:${open_tag}|${close_tag}|<!---?>|<!--(?:[^-]|-[^-]|--[^>])*-->|<[?][\\s\\S]*?[?]>|<![A-Za-z][^>]*>|<!\\[CDATA\\[[\\s\\S]*?\\]\\]>)`);
var HTML_OPEN_CLOSE_TAG_RE = new RegExp(`^(?:${open_tag}|${close_tag})`);
var HTML_SEQUENCES = [
  [
    /^<(script|pre|style|textarea)(?=(\s|>|$))/i,
    /<\/(script|pre|style|textarea)>/i,
    true
  ],
  [
    /^<!--/,
    /-->/,
    true
  ],
  [
    /^<\?/,
    /\?>/,
    true
  ],
  [
    /^<![A-Za-z]/,
    />/,
    true
  ],
  [
    /^<!\[CDATA\[/,
    /\]\]>/,
    true
  ],
  [
    new RegExp(`^</?(${html_blocks_default.join("|")})(?=(\\s|/?>|$))`, "i"),
    /^$/,
    true
  ],
  [
    new RegExp(`${HTML_OPEN_CLOSE_TAG_RE.source}\\s*$`),
    /^$/,
    false
  ]
];
function html_block(state, startLine, endLine, silent) {
  let pos = state.bMarks[startLine] + state.tShift[startLine];
  let max = state.eMarks[startLine];
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  if (!state.md.options.html) return false;
  if (state.src.charCodeAt(pos) !== 60) return false;
  let lineText = state.src.slice(pos, max);
  let i4 = 0;
  for (; i4 < HTML_SEQUENCES.length; i4++) if (HTML_SEQUENCES[i4][0].test(lineText)) break;
  if (i4 === HTML_SEQUENCES.length) return false;
  if (silent) return HTML_SEQUENCES[i4][2];
  let nextLine = startLine + 1;
  const endsOnBlankLine = HTML_SEQUENCES[i4][1].test("");
  if (!HTML_SEQUENCES[i4][1].test(lineText)) for (; nextLine < endLine; nextLine++) {
    if (state.sCount[nextLine] < state.blkIndent) {
      if (endsOnBlankLine || !state.isEmpty(nextLine)) break;
    }
    pos = state.bMarks[nextLine] + state.tShift[nextLine];
    max = state.eMarks[nextLine];
    lineText = state.src.slice(pos, max);
    if (HTML_SEQUENCES[i4][1].test(lineText)) {
      if (lineText.length !== 0) nextLine++;
      break;
    }
  }
  state.line = nextLine;
  const token = state.push("html_block", "", 0);
  token.map = [startLine, nextLine];
  token.content = state.getLines(startLine, nextLine, state.blkIndent, true);
  return true;
}
function heading(state, startLine, endLine, silent) {
  let pos = state.bMarks[startLine] + state.tShift[startLine];
  let max = state.eMarks[startLine];
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  let ch = state.src.charCodeAt(pos);
  if (ch !== 35 || pos >= max) return false;
  let level = 1;
  ch = state.src.charCodeAt(++pos);
  while (ch === 35 && pos < max && level <= 6) {
    level++;
    ch = state.src.charCodeAt(++pos);
  }
  if (level > 6 || pos < max && !isSpace(ch)) return false;
  if (silent) return true;
  max = state.skipSpacesBack(max, pos);
  const tmp = state.skipCharsBack(max, 35, pos);
  if (tmp > pos && isSpace(state.src.charCodeAt(tmp - 1))) max = tmp;
  state.line = startLine + 1;
  const token_o = state.push("heading_open", `h${level}`, 1);
  token_o.markup = "########".slice(0, level);
  token_o.map = [startLine, state.line];
  const token_i = state.push("inline", "", 0);
  token_i.content = asciiTrim(state.src.slice(pos, max));
  token_i.map = [startLine, state.line];
  token_i.children = [];
  const token_c = state.push("heading_close", `h${level}`, -1);
  token_c.markup = "########".slice(0, level);
  return true;
}
function lheading(state, startLine, endLine) {
  const terminatorRules = state.md.block.ruler.getRules("paragraph");
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  const oldParentType = state.parentType;
  state.parentType = "paragraph";
  let level = 0;
  let marker;
  let nextLine = startLine + 1;
  for (; nextLine < endLine && !state.isEmpty(nextLine); nextLine++) {
    if (state.sCount[nextLine] - state.blkIndent > 3) continue;
    if (state.sCount[nextLine] >= state.blkIndent) {
      let pos = state.bMarks[nextLine] + state.tShift[nextLine];
      const max = state.eMarks[nextLine];
      if (pos < max) {
        marker = state.src.charCodeAt(pos);
        if (marker === 45 || marker === 61) {
          pos = state.skipChars(pos, marker);
          pos = state.skipSpaces(pos);
          if (pos >= max) {
            level = marker === 61 ? 1 : 2;
            break;
          }
        }
      }
    }
    if (state.sCount[nextLine] < 0) continue;
    let terminate = false;
    for (let i4 = 0, l4 = terminatorRules.length; i4 < l4; i4++) if (terminatorRules[i4](state, nextLine, endLine, true)) {
      terminate = true;
      break;
    }
    if (terminate) break;
  }
  if (!level) {
    state.parentType = oldParentType;
    return false;
  }
  const content = asciiTrim(state.getLines(startLine, nextLine, state.blkIndent, false));
  state.line = nextLine + 1;
  const token_o = state.push("heading_open", `h${level}`, 1);
  token_o.markup = String.fromCharCode(marker);
  token_o.map = [startLine, state.line];
  const token_i = state.push("inline", "", 0);
  token_i.content = content;
  token_i.map = [startLine, state.line - 1];
  token_i.children = [];
  const token_c = state.push("heading_close", `h${level}`, -1);
  token_c.markup = String.fromCharCode(marker);
  state.parentType = oldParentType;
  return true;
}
function paragraph(state, startLine, endLine) {
  const terminatorRules = state.md.block.ruler.getRules("paragraph");
  const oldParentType = state.parentType;
  let nextLine = startLine + 1;
  state.parentType = "paragraph";
  for (; nextLine < endLine && !state.isEmpty(nextLine); nextLine++) {
    if (state.sCount[nextLine] - state.blkIndent > 3) continue;
    if (state.sCount[nextLine] < 0) continue;
    let terminate = false;
    for (let i4 = 0, l4 = terminatorRules.length; i4 < l4; i4++) if (terminatorRules[i4](state, nextLine, endLine, true)) {
      terminate = true;
      break;
    }
    if (terminate) break;
  }
  const content = asciiTrim(state.getLines(startLine, nextLine, state.blkIndent, false));
  state.line = nextLine;
  const token_o = state.push("paragraph_open", "p", 1);
  token_o.map = [startLine, state.line];
  const token_i = state.push("inline", "", 0);
  token_i.content = content;
  token_i.map = [startLine, state.line];
  token_i.children = [];
  state.push("paragraph_close", "p", -1);
  state.parentType = oldParentType;
  return true;
}
var _rules$1 = [
  [
    "table",
    table,
    ["paragraph", "reference"]
  ],
  ["code", code],
  [
    "fence",
    fence,
    [
      "paragraph",
      "reference",
      "blockquote",
      "list"
    ]
  ],
  [
    "blockquote",
    blockquote,
    [
      "paragraph",
      "reference",
      "blockquote",
      "list"
    ]
  ],
  [
    "hr",
    hr,
    [
      "paragraph",
      "reference",
      "blockquote",
      "list"
    ]
  ],
  [
    "list",
    list,
    [
      "paragraph",
      "reference",
      "blockquote"
    ]
  ],
  ["reference", reference],
  [
    "html_block",
    html_block,
    [
      "paragraph",
      "reference",
      "blockquote"
    ]
  ],
  [
    "heading",
    heading,
    [
      "paragraph",
      "reference",
      "blockquote"
    ]
  ],
  ["lheading", lheading],
  ["paragraph", paragraph]
];
var ParserBlock = class {
  constructor() {
    _defineProperty(
      this,
      /**
      * {@link Ruler} instance. Keep configuration of block rules.
      */
      "ruler",
      new Ruler()
    );
    _defineProperty(this, "State", StateBlock);
    for (let i4 = 0; i4 < _rules$1.length; i4++) this.ruler.push(_rules$1[i4][0], _rules$1[i4][1], { alt: (_rules$1[i4][2] || []).slice() });
  }
  tokenize(state, startLine, endLine) {
    const rules = this.ruler.getRules("");
    const len = rules.length;
    const maxNesting = state.md.options.maxNesting;
    let line = startLine;
    let hasEmptyLines = false;
    while (line < endLine) {
      state.line = line = state.skipEmptyLines(line);
      if (line >= endLine) break;
      if (state.sCount[line] < state.blkIndent) break;
      if (state.level >= maxNesting) {
        state.line = endLine;
        break;
      }
      const prevLine = state.line;
      let ok = false;
      for (let i4 = 0; i4 < len; i4++) {
        ok = rules[i4](state, line, endLine, false);
        if (ok) {
          if (prevLine >= state.line) throw new Error("block rule didn't increment state.line");
          break;
        }
      }
      if (!ok) throw new Error("none of the block rules matched");
      state.tight = !hasEmptyLines;
      if (state.isEmpty(state.line - 1)) hasEmptyLines = true;
      line = state.line;
      if (line < endLine && state.isEmpty(line)) {
        hasEmptyLines = true;
        line++;
        state.line = line;
      }
    }
  }
  /**
  * Process input string and push block tokens into `outTokens`
  */
  parse(src, md, env, outTokens) {
    if (!src) return;
    const state = new this.State(src, md, env, outTokens);
    this.tokenize(state, state.line, state.lineMax);
  }
};
var StateInline = class {
  constructor(src, md, env, outTokens) {
    _defineProperty(this, "pos", 0);
    _defineProperty(this, "level", 0);
    _defineProperty(this, "pending", "");
    _defineProperty(this, "pendingLevel", 0);
    _defineProperty(this, "cache", {});
    _defineProperty(this, "backticks", {});
    _defineProperty(this, "backticksScanned", false);
    _defineProperty(this, "skipHtmlSpecial", false);
    _defineProperty(this, "linkLevel", 0);
    _defineProperty(this, "delimiters", []);
    _defineProperty(this, "_prev_delimiters", []);
    _defineProperty(this, "Token", Token);
    this.src = src;
    this.env = env;
    this.md = md;
    this.tokens = outTokens;
    this.tokens_meta = Array(outTokens.length);
    this.posMax = this.src.length;
  }
  pushPending() {
    const token = new Token("text", "", 0);
    token.content = this.pending;
    token.level = this.pendingLevel;
    this.tokens.push(token);
    this.pending = "";
    return token;
  }
  push(type, tag, nesting) {
    if (this.pending) this.pushPending();
    const token = new Token(type, tag, nesting);
    let token_meta = void 0;
    if (nesting < 0) {
      this.level--;
      this.delimiters = this._prev_delimiters.pop();
    }
    token.level = this.level;
    if (nesting > 0) {
      this.level++;
      this._prev_delimiters.push(this.delimiters);
      this.delimiters = [];
      token_meta = { delimiters: this.delimiters };
    }
    this.pendingLevel = this.level;
    this.tokens.push(token);
    this.tokens_meta.push(token_meta);
    return token;
  }
  scanDelims(start2, canSplitWord) {
    const max = this.posMax;
    const marker = this.src.charCodeAt(start2);
    let lastChar;
    if (start2 === 0) lastChar = 32;
    else if (start2 === 1) {
      lastChar = this.src.charCodeAt(0);
      if ((lastChar & 63488) === 55296) lastChar = 65533;
    } else {
      lastChar = this.src.charCodeAt(start2 - 1);
      if ((lastChar & 64512) === 56320) {
        const highSurr = this.src.charCodeAt(start2 - 2);
        lastChar = (highSurr & 64512) === 55296 ? 65536 + (highSurr - 55296 << 10) + (lastChar - 56320) : 65533;
      } else if ((lastChar & 64512) === 55296) lastChar = 65533;
    }
    let pos = start2;
    while (pos < max && this.src.charCodeAt(pos) === marker) pos++;
    const count3 = pos - start2;
    let nextChar = pos < max ? this.src.charCodeAt(pos) : 32;
    if ((nextChar & 64512) === 55296) {
      const lowSurr = this.src.charCodeAt(pos + 1);
      nextChar = (lowSurr & 64512) === 56320 ? 65536 + (nextChar - 55296 << 10) + (lowSurr - 56320) : 65533;
    } else if ((nextChar & 64512) === 56320) nextChar = 65533;
    const isLastPunctChar = isMdAsciiPunct(lastChar) || isPunctCharCode(lastChar);
    const isNextPunctChar = isMdAsciiPunct(nextChar) || isPunctCharCode(nextChar);
    const isLastWhiteSpace = isWhiteSpace(lastChar);
    const isNextWhiteSpace = isWhiteSpace(nextChar);
    const left_flanking = !isNextWhiteSpace && (!isNextPunctChar || isLastWhiteSpace || isLastPunctChar);
    const right_flanking = !isLastWhiteSpace && (!isLastPunctChar || isNextWhiteSpace || isNextPunctChar);
    return {
      can_open: left_flanking && (canSplitWord || !right_flanking || isLastPunctChar),
      can_close: right_flanking && (canSplitWord || !left_flanking || isNextPunctChar),
      length: count3
    };
  }
};
function isTerminatorChar(ch) {
  switch (ch) {
    case 10:
    case 33:
    case 35:
    case 36:
    case 37:
    case 38:
    case 42:
    case 43:
    case 45:
    case 58:
    case 60:
    case 61:
    case 62:
    case 64:
    case 91:
    case 92:
    case 93:
    case 94:
    case 95:
    case 96:
    case 123:
    case 125:
    case 126:
      return true;
    default:
      return false;
  }
}
function text2(state, silent) {
  let pos = state.pos;
  while (pos < state.posMax && !isTerminatorChar(state.src.charCodeAt(pos))) pos++;
  if (pos === state.pos) return false;
  if (!silent) state.pending += state.src.slice(state.pos, pos);
  state.pos = pos;
  return true;
}
function isAsciiAlpha(code2) {
  return code2 >= 65 && code2 <= 90 || code2 >= 97 && code2 <= 122;
}
function isSchemeChar(code2) {
  return code2 >= 65 && code2 <= 90 || code2 >= 97 && code2 <= 122 || code2 >= 48 && code2 <= 57 || code2 === 43 || code2 === 45 || code2 === 46;
}
function linkify(state, silent) {
  if (!state.md.options.linkify) return false;
  if (state.linkLevel > 0) return false;
  const pos = state.pos;
  const max = state.posMax;
  if (pos + 3 > max) return false;
  if (state.src.charCodeAt(pos) !== 58) return false;
  if (state.src.charCodeAt(pos + 1) !== 47) return false;
  if (state.src.charCodeAt(pos + 2) !== 47) return false;
  const protoMin = pos - Math.min(10, state.pending.length, pos);
  let protoStart = pos;
  while (protoStart > protoMin && isSchemeChar(state.src.charCodeAt(protoStart - 1))) protoStart--;
  if (protoStart === pos || !isAsciiAlpha(state.src.charCodeAt(protoStart))) return false;
  const protoLength = pos - protoStart;
  const link3 = state.md.linkify.matchAtStart(state.src.slice(protoStart));
  if (!link3) return false;
  let url = link3.url;
  if (url.length <= protoLength) return false;
  let urlEnd = url.length;
  while (urlEnd > 0 && url.charCodeAt(urlEnd - 1) === 42) urlEnd--;
  if (urlEnd !== url.length) url = url.slice(0, urlEnd);
  const fullUrl = state.md.normalizeLink(url);
  if (!state.md.validateLink(fullUrl)) return false;
  if (!silent) {
    state.pending = state.pending.slice(0, -protoLength);
    const token_o = state.push("link_open", "a", 1);
    token_o.attrs = [["href", fullUrl]];
    token_o.markup = "linkify";
    token_o.info = "auto";
    const token_t = state.push("text", "", 0);
    token_t.content = state.md.normalizeLinkText(url);
    const token_c = state.push("link_close", "a", -1);
    token_c.markup = "linkify";
    token_c.info = "auto";
  }
  state.pos += url.length - protoLength;
  return true;
}
function newline(state, silent) {
  let pos = state.pos;
  if (state.src.charCodeAt(pos) !== 10) return false;
  const pmax = state.pending.length - 1;
  const max = state.posMax;
  if (!silent) {
    if (pmax >= 0 && state.pending.charCodeAt(pmax) === 32) {
      if (pmax >= 1 && state.pending.charCodeAt(pmax - 1) === 32) {
        let ws = pmax - 1;
        while (ws >= 1 && state.pending.charCodeAt(ws - 1) === 32) ws--;
        state.pending = state.pending.slice(0, ws);
        state.push("hardbreak", "br", 0);
      } else {
        state.pending = state.pending.slice(0, -1);
        state.push("softbreak", "br", 0);
      }
    } else state.push("softbreak", "br", 0);
  }
  pos++;
  while (pos < max && isSpace(state.src.charCodeAt(pos))) pos++;
  state.pos = pos;
  return true;
}
var ESCAPED = [];
for (let i4 = 0; i4 < 256; i4++) ESCAPED.push(0);
"\\!\"#$%&'()*+,./:;<=>?@[]^_`{|}~-".split("").forEach(function(ch) {
  ESCAPED[ch.charCodeAt(0)] = 1;
});
function escape(state, silent) {
  let pos = state.pos;
  const max = state.posMax;
  if (state.src.charCodeAt(pos) !== 92) return false;
  pos++;
  if (pos >= max) return false;
  let ch1 = state.src.charCodeAt(pos);
  if (ch1 === 10) {
    if (!silent) state.push("hardbreak", "br", 0);
    pos++;
    while (pos < max) {
      ch1 = state.src.charCodeAt(pos);
      if (!isSpace(ch1)) break;
      pos++;
    }
    state.pos = pos;
    return true;
  }
  if (ch1 === 32) {
    if (!silent) {
      const token = state.push("text_special", "", 0);
      token.content = "\\";
      token.markup = "\\";
      token.info = "escape";
    }
    state.pos = pos;
    return true;
  }
  let escapedStr = state.src[pos];
  if (ch1 >= 55296 && ch1 <= 56319 && pos + 1 < max) {
    const ch2 = state.src.charCodeAt(pos + 1);
    if (ch2 >= 56320 && ch2 <= 57343) {
      escapedStr += state.src[pos + 1];
      pos++;
    }
  }
  const origStr = "\\" + escapedStr;
  if (!silent) {
    const token = state.push("text_special", "", 0);
    if (ch1 < 256 && ESCAPED[ch1] !== 0) token.content = escapedStr;
    else token.content = origStr;
    token.markup = origStr;
    token.info = "escape";
  }
  state.pos = pos + 1;
  return true;
}
function buildLastRuns(src) {
  const lastRuns = {};
  let pos = 0;
  while ((pos = src.indexOf("`", pos)) !== -1) {
    const start2 = pos;
    while (src.charCodeAt(++pos) === 96) ;
    lastRuns[pos - start2] = start2;
  }
  return lastRuns;
}
function backtick(state, silent) {
  var _state$backticks$open;
  const start2 = state.pos;
  if (state.src.charCodeAt(start2) !== 96) return false;
  const max = state.posMax;
  let pos = start2 + 1;
  while (pos < max && state.src.charCodeAt(pos) === 96) pos++;
  const marker = state.src.slice(start2, pos);
  const openerLength = marker.length;
  if (!state.backticksScanned) {
    state.backticks = buildLastRuns(state.src);
    state.backticksScanned = true;
  }
  if (((_state$backticks$open = state.backticks[openerLength]) !== null && _state$backticks$open !== void 0 ? _state$backticks$open : -1) >= pos) {
    let matchEnd = pos;
    let matchStart;
    while ((matchStart = state.src.indexOf("`", matchEnd)) !== -1 && matchStart < max) {
      matchEnd = matchStart + 1;
      while (state.src.charCodeAt(matchEnd) === 96) matchEnd++;
      if (matchEnd > max) break;
      if (matchEnd - matchStart === openerLength) {
        if (!silent) {
          const token = state.push("code_inline", "code", 0);
          token.markup = marker;
          let content = state.src.slice(pos, matchStart).replace(/\n/g, " ");
          if (content.startsWith(" ") && content.endsWith(" ") && /[^ ]/.test(content)) content = content.slice(1, -1);
          token.content = content;
        }
        state.pos = matchEnd;
        return true;
      }
    }
  }
  if (!silent) state.pending += marker;
  state.pos = pos;
  return true;
}
function strikethrough_tokenize(state, silent) {
  const start2 = state.pos;
  const marker = state.src.charCodeAt(start2);
  if (silent) return false;
  if (marker !== 126) return false;
  const scanned = state.scanDelims(state.pos, true);
  let len = scanned.length;
  const ch = String.fromCharCode(marker);
  if (len < 2) return false;
  let token;
  if (len % 2) {
    token = state.push("text", "", 0);
    token.content = ch;
    len--;
  }
  for (let i4 = 0; i4 < len; i4 += 2) {
    token = state.push("text", "", 0);
    token.content = ch + ch;
    state.delimiters.push({
      marker,
      length: 0,
      token: state.tokens.length - 1,
      end: -1,
      open: scanned.can_open,
      close: scanned.can_close
    });
  }
  state.pos += scanned.length;
  return true;
}
function postProcess$1(state, delimiters) {
  let token;
  const loneMarkers = [];
  const max = delimiters.length;
  for (let i4 = 0; i4 < max; i4++) {
    const startDelim = delimiters[i4];
    if (startDelim.marker !== 126) continue;
    if (startDelim.end === -1) continue;
    const endDelim = delimiters[startDelim.end];
    token = state.tokens[startDelim.token];
    token.type = "s_open";
    token.tag = "s";
    token.nesting = 1;
    token.markup = "~~";
    token.content = "";
    token = state.tokens[endDelim.token];
    token.type = "s_close";
    token.tag = "s";
    token.nesting = -1;
    token.markup = "~~";
    token.content = "";
    if (state.tokens[endDelim.token - 1].type === "text" && state.tokens[endDelim.token - 1].content === "~") loneMarkers.push(endDelim.token - 1);
  }
  while (loneMarkers.length) {
    const i4 = loneMarkers.pop();
    let j4 = i4 + 1;
    while (j4 < state.tokens.length && state.tokens[j4].type === "s_close") j4++;
    j4--;
    if (i4 !== j4) {
      token = state.tokens[j4];
      state.tokens[j4] = state.tokens[i4];
      state.tokens[i4] = token;
    }
  }
}
function strikethrough_postProcess(state) {
  const tokens_meta = state.tokens_meta;
  const max = state.tokens_meta.length;
  postProcess$1(state, state.delimiters);
  for (let curr = 0; curr < max; curr++) {
    var _tokens_meta$curr;
    const delimiters = (_tokens_meta$curr = tokens_meta[curr]) === null || _tokens_meta$curr === void 0 ? void 0 : _tokens_meta$curr.delimiters;
    if (delimiters) postProcess$1(state, delimiters);
  }
}
var strikethrough_default = {
  tokenize: strikethrough_tokenize,
  postProcess: strikethrough_postProcess
};
function emphasis_tokenize(state, silent) {
  const start2 = state.pos;
  const marker = state.src.charCodeAt(start2);
  if (silent) return false;
  if (marker !== 95 && marker !== 42) return false;
  const scanned = state.scanDelims(state.pos, marker === 42);
  for (let i4 = 0; i4 < scanned.length; i4++) {
    const token = state.push("text", "", 0);
    token.content = String.fromCharCode(marker);
    state.delimiters.push({
      marker,
      length: scanned.length,
      token: state.tokens.length - 1,
      end: -1,
      open: scanned.can_open,
      close: scanned.can_close
    });
  }
  state.pos += scanned.length;
  return true;
}
function postProcess(state, delimiters) {
  const max = delimiters.length;
  for (let i4 = max - 1; i4 >= 0; i4--) {
    const startDelim = delimiters[i4];
    if (startDelim.marker !== 95 && startDelim.marker !== 42) continue;
    if (startDelim.end === -1) continue;
    const endDelim = delimiters[startDelim.end];
    const isStrong = i4 > 0 && delimiters[i4 - 1].end === startDelim.end + 1 && delimiters[i4 - 1].marker === startDelim.marker && delimiters[i4 - 1].token === startDelim.token - 1 && delimiters[startDelim.end + 1].token === endDelim.token + 1;
    const ch = String.fromCharCode(startDelim.marker);
    const token_o = state.tokens[startDelim.token];
    token_o.type = isStrong ? "strong_open" : "em_open";
    token_o.tag = isStrong ? "strong" : "em";
    token_o.nesting = 1;
    token_o.markup = isStrong ? ch + ch : ch;
    token_o.content = "";
    const token_c = state.tokens[endDelim.token];
    token_c.type = isStrong ? "strong_close" : "em_close";
    token_c.tag = isStrong ? "strong" : "em";
    token_c.nesting = -1;
    token_c.markup = isStrong ? ch + ch : ch;
    token_c.content = "";
    if (isStrong) {
      state.tokens[delimiters[i4 - 1].token].content = "";
      state.tokens[delimiters[startDelim.end + 1].token].content = "";
      i4--;
    }
  }
}
function emphasis_post_process(state) {
  const tokens_meta = state.tokens_meta;
  const max = state.tokens_meta.length;
  postProcess(state, state.delimiters);
  for (let curr = 0; curr < max; curr++) {
    var _tokens_meta$curr;
    const delimiters = (_tokens_meta$curr = tokens_meta[curr]) === null || _tokens_meta$curr === void 0 ? void 0 : _tokens_meta$curr.delimiters;
    if (delimiters) postProcess(state, delimiters);
  }
}
var emphasis_default = {
  tokenize: emphasis_tokenize,
  postProcess: emphasis_post_process
};
function link2(state, silent) {
  let code2, label, res, ref;
  let href = "";
  let title = "";
  let start2 = state.pos;
  let parseReference = true;
  if (state.src.charCodeAt(state.pos) !== 91) return false;
  const oldPos = state.pos;
  const max = state.posMax;
  const labelStart = state.pos + 1;
  const labelEnd = state.md.helpers.parseLinkLabel(state, state.pos, true);
  if (labelEnd < 0) return false;
  let pos = labelEnd + 1;
  if (pos < max && state.src.charCodeAt(pos) === 40) {
    parseReference = false;
    pos++;
    for (; pos < max; pos++) {
      code2 = state.src.charCodeAt(pos);
      if (!isSpace(code2) && code2 !== 10) break;
    }
    if (pos >= max) return false;
    start2 = pos;
    res = state.md.helpers.parseLinkDestination(state.src, pos, state.posMax);
    if (res.ok) {
      href = state.md.normalizeLink(res.str);
      if (state.md.validateLink(href)) pos = res.pos;
      else href = "";
      start2 = pos;
      for (; pos < max; pos++) {
        code2 = state.src.charCodeAt(pos);
        if (!isSpace(code2) && code2 !== 10) break;
      }
      res = state.md.helpers.parseLinkTitle(state.src, pos, state.posMax);
      if (pos < max && start2 !== pos && res.ok) {
        title = res.str;
        pos = res.pos;
        for (; pos < max; pos++) {
          code2 = state.src.charCodeAt(pos);
          if (!isSpace(code2) && code2 !== 10) break;
        }
      }
    }
    if (pos >= max || state.src.charCodeAt(pos) !== 41) parseReference = true;
    pos++;
  }
  if (parseReference) {
    if (typeof state.env.references === "undefined") return false;
    if (pos < max && state.src.charCodeAt(pos) === 91) {
      start2 = pos + 1;
      pos = state.md.helpers.parseLinkLabel(state, pos);
      if (pos >= 0) label = state.src.slice(start2, pos++);
      else pos = labelEnd + 1;
    } else pos = labelEnd + 1;
    if (!label) label = state.src.slice(labelStart, labelEnd);
    label = normalizeReference(label);
    ref = state.env.references[label];
    if (!ref) {
      state.pos = oldPos;
      return false;
    }
    href = ref.href;
    title = ref.title;
  }
  if (!silent) {
    state.pos = labelStart;
    state.posMax = labelEnd;
    const token_o = state.push("link_open", "a", 1);
    const attrs = [["href", href]];
    token_o.attrs = attrs;
    if (title) attrs.push(["title", title]);
    if (label) {
      const meta = /* @__PURE__ */ Object.create(null);
      meta.label = label;
      token_o.meta = meta;
    }
    state.linkLevel++;
    state.md.inline.tokenize(state);
    state.linkLevel--;
    state.push("link_close", "a", -1);
  }
  state.pos = pos;
  state.posMax = max;
  return true;
}
function image2(state, silent) {
  let code2, content, label, pos, ref, res, title, start2;
  let href = "";
  const oldPos = state.pos;
  const max = state.posMax;
  if (state.src.charCodeAt(state.pos) !== 33) return false;
  if (state.src.charCodeAt(state.pos + 1) !== 91) return false;
  const labelStart = state.pos + 2;
  const labelEnd = state.md.helpers.parseLinkLabel(state, state.pos + 1, false);
  if (labelEnd < 0) return false;
  pos = labelEnd + 1;
  if (pos < max && state.src.charCodeAt(pos) === 40) {
    pos++;
    for (; pos < max; pos++) {
      code2 = state.src.charCodeAt(pos);
      if (!isSpace(code2) && code2 !== 10) break;
    }
    if (pos >= max) return false;
    start2 = pos;
    res = state.md.helpers.parseLinkDestination(state.src, pos, state.posMax);
    if (res.ok) {
      href = state.md.normalizeLink(res.str);
      if (state.md.validateLink(href)) pos = res.pos;
      else href = "";
    }
    start2 = pos;
    for (; pos < max; pos++) {
      code2 = state.src.charCodeAt(pos);
      if (!isSpace(code2) && code2 !== 10) break;
    }
    res = state.md.helpers.parseLinkTitle(state.src, pos, state.posMax);
    if (pos < max && start2 !== pos && res.ok) {
      title = res.str;
      pos = res.pos;
      for (; pos < max; pos++) {
        code2 = state.src.charCodeAt(pos);
        if (!isSpace(code2) && code2 !== 10) break;
      }
    } else title = "";
    if (pos >= max || state.src.charCodeAt(pos) !== 41) {
      state.pos = oldPos;
      return false;
    }
    pos++;
  } else {
    if (typeof state.env.references === "undefined") return false;
    if (pos < max && state.src.charCodeAt(pos) === 91) {
      start2 = pos + 1;
      pos = state.md.helpers.parseLinkLabel(state, pos);
      if (pos >= 0) label = state.src.slice(start2, pos++);
      else pos = labelEnd + 1;
    } else pos = labelEnd + 1;
    if (!label) label = state.src.slice(labelStart, labelEnd);
    label = normalizeReference(label);
    ref = state.env.references[label];
    if (!ref) {
      state.pos = oldPos;
      return false;
    }
    href = ref.href;
    title = ref.title;
  }
  if (!silent) {
    content = state.src.slice(labelStart, labelEnd);
    const tokens = [];
    state.md.inline.parse(content, state.md, state.env, tokens);
    const token = state.push("image", "img", 0);
    const attrs = [["src", href], ["alt", ""]];
    token.attrs = attrs;
    token.children = tokens;
    token.content = content;
    if (title) attrs.push(["title", title]);
    if (label) {
      const meta = /* @__PURE__ */ Object.create(null);
      meta.label = label;
      token.meta = meta;
    }
  }
  state.pos = pos;
  state.posMax = max;
  return true;
}
var EMAIL_RE = /^([a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)$/;
var AUTOLINK_RE = /^([a-zA-Z][a-zA-Z0-9+.-]{1,31}):([^<>\x00-\x20]*)$/;
function autolink(state, silent) {
  let pos = state.pos;
  if (state.src.charCodeAt(pos) !== 60) return false;
  const start2 = state.pos;
  const max = state.posMax;
  for (; ; ) {
    if (++pos >= max) return false;
    const ch = state.src.charCodeAt(pos);
    if (ch === 60) return false;
    if (ch === 62) break;
  }
  const url = state.src.slice(start2 + 1, pos);
  if (AUTOLINK_RE.test(url)) {
    const fullUrl = state.md.normalizeLink(url);
    if (!state.md.validateLink(fullUrl)) return false;
    if (!silent) {
      const token_o = state.push("link_open", "a", 1);
      token_o.attrs = [["href", fullUrl]];
      token_o.markup = "autolink";
      token_o.info = "auto";
      const token_t = state.push("text", "", 0);
      token_t.content = state.md.normalizeLinkText(url);
      const token_c = state.push("link_close", "a", -1);
      token_c.markup = "autolink";
      token_c.info = "auto";
    }
    state.pos += url.length + 2;
    return true;
  }
  if (EMAIL_RE.test(url)) {
    const fullUrl = state.md.normalizeLink(`mailto:${url}`);
    if (!state.md.validateLink(fullUrl)) return false;
    if (!silent) {
      const token_o = state.push("link_open", "a", 1);
      token_o.attrs = [["href", fullUrl]];
      token_o.markup = "autolink";
      token_o.info = "auto";
      const token_t = state.push("text", "", 0);
      token_t.content = state.md.normalizeLinkText(url);
      const token_c = state.push("link_close", "a", -1);
      token_c.markup = "autolink";
      token_c.info = "auto";
    }
    state.pos += url.length + 2;
    return true;
  }
  return false;
}
function isLinkOpen(str) {
  return /^<a[>\s]/i.test(str);
}
function isLinkClose(str) {
  return /^<\/a\s*>/i.test(str);
}
function isLetter(ch) {
  const lc = ch | 32;
  return lc >= 97 && lc <= 122;
}
function scanSpecial(state, pos) {
  const src = state.src;
  let start2;
  let terminator;
  if (src.startsWith("<!--", pos)) {
    if (src.startsWith(">", pos + 4)) return pos + 5;
    if (src.startsWith("->", pos + 4)) return pos + 6;
    start2 = pos + 4;
    terminator = "-->";
  } else if (src.startsWith("<![CDATA[", pos)) {
    start2 = pos + 9;
    terminator = "]]>";
  } else if (src.charCodeAt(pos + 1) === 63) {
    start2 = pos + 2;
    terminator = "?>";
  } else if (isLetter(src.charCodeAt(pos + 2))) {
    start2 = pos + 3;
    terminator = ">";
  } else return -1;
  if (state.skipHtmlSpecial) return -1;
  const end = src.indexOf(terminator, start2);
  if (end < 0) {
    state.skipHtmlSpecial = true;
    return -1;
  }
  return end + terminator.length;
}
function html_inline(state, silent) {
  if (!state.md.options.html) return false;
  const max = state.posMax;
  const pos = state.pos;
  if (state.src.charCodeAt(pos) !== 60 || pos + 2 >= max) return false;
  let end;
  const ch = state.src.charCodeAt(pos + 1);
  if (ch === 33 || ch === 63) end = scanSpecial(state, pos);
  else if (ch === 47 || isLetter(ch)) {
    const match = state.src.slice(pos).match(HTML_OPEN_CLOSE_TAG_RE);
    end = match ? pos + match[0].length : -1;
  } else return false;
  if (end < 0) return false;
  if (!silent) {
    const token = state.push("html_inline", "", 0);
    token.content = state.src.slice(pos, end);
    if (isLinkOpen(token.content)) state.linkLevel++;
    if (isLinkClose(token.content)) state.linkLevel--;
  }
  state.pos = end;
  return true;
}
var DIGITAL_RE = /^&#((?:x[a-f0-9]{1,6}|[0-9]{1,7}));/i;
var NAMED_RE = /^&([a-z][a-z0-9]{1,31});/i;
function entity(state, silent) {
  const pos = state.pos;
  const max = state.posMax;
  if (state.src.charCodeAt(pos) !== 38) return false;
  if (pos + 1 >= max) return false;
  if (state.src.charCodeAt(pos + 1) === 35) {
    const match = state.src.slice(pos).match(DIGITAL_RE);
    if (match) {
      if (!silent) {
        const code2 = match[1][0].toLowerCase() === "x" ? parseInt(match[1].slice(1), 16) : parseInt(match[1], 10);
        const token = state.push("text_special", "", 0);
        token.content = isValidEntityCode(code2) ? fromCodePoint(code2) : fromCodePoint(65533);
        token.markup = match[0];
        token.info = "entity";
      }
      state.pos += match[0].length;
      return true;
    }
  } else {
    const match = state.src.slice(pos).match(NAMED_RE);
    if (match) {
      const decoded = decodeHTMLStrict(match[0]);
      if (decoded !== match[0]) {
        if (!silent) {
          const token = state.push("text_special", "", 0);
          token.content = decoded;
          token.markup = match[0];
          token.info = "entity";
        }
        state.pos += match[0].length;
        return true;
      }
    }
  }
  return false;
}
function processDelimiters(delimiters) {
  const openersBottom = {};
  const max = delimiters.length;
  if (!max) return;
  let headerIdx = 0;
  let lastTokenIdx = -2;
  const jumps = [];
  for (let closerIdx = 0; closerIdx < max; closerIdx++) {
    const closer = delimiters[closerIdx];
    jumps.push(0);
    if (delimiters[headerIdx].marker !== closer.marker || lastTokenIdx !== closer.token - 1) headerIdx = closerIdx;
    lastTokenIdx = closer.token;
    closer.length = closer.length || 0;
    if (!closer.close) continue;
    if (!openersBottom.hasOwnProperty(closer.marker)) openersBottom[closer.marker] = [
      -1,
      -1,
      -1,
      -1,
      -1,
      -1
    ];
    const minOpenerIdx = openersBottom[closer.marker][(closer.open ? 3 : 0) + closer.length % 3];
    let openerIdx = headerIdx - jumps[headerIdx] - 1;
    let newMinOpenerIdx = openerIdx;
    for (; openerIdx > minOpenerIdx; openerIdx -= jumps[openerIdx] + 1) {
      const opener = delimiters[openerIdx];
      if (opener.marker !== closer.marker) continue;
      if (opener.open && opener.end < 0) {
        let isOddMatch = false;
        if (opener.close || closer.open) {
          if ((opener.length + closer.length) % 3 === 0) {
            if (opener.length % 3 !== 0 || closer.length % 3 !== 0) isOddMatch = true;
          }
        }
        if (!isOddMatch) {
          const lastJump = openerIdx > 0 && !delimiters[openerIdx - 1].open ? jumps[openerIdx - 1] + 1 : 0;
          jumps[closerIdx] = closerIdx - openerIdx + lastJump;
          jumps[openerIdx] = lastJump;
          closer.open = false;
          opener.end = closerIdx;
          opener.close = false;
          newMinOpenerIdx = -1;
          lastTokenIdx = -2;
          break;
        }
      }
    }
    if (newMinOpenerIdx !== -1) openersBottom[closer.marker][(closer.open ? 3 : 0) + (closer.length || 0) % 3] = newMinOpenerIdx;
  }
}
function link_pairs(state) {
  const tokens_meta = state.tokens_meta;
  const max = state.tokens_meta.length;
  processDelimiters(state.delimiters);
  for (let curr = 0; curr < max; curr++) {
    var _tokens_meta$curr;
    const delimiters = (_tokens_meta$curr = tokens_meta[curr]) === null || _tokens_meta$curr === void 0 ? void 0 : _tokens_meta$curr.delimiters;
    if (delimiters) processDelimiters(delimiters);
  }
}
function fragments_join(state) {
  let curr, last2;
  let level = 0;
  const tokens = state.tokens;
  const max = state.tokens.length;
  for (curr = last2 = 0; curr < max; curr++) {
    if (tokens[curr].nesting < 0) level--;
    tokens[curr].level = level;
    if (tokens[curr].nesting > 0) level++;
    if (tokens[curr].type === "text" && curr + 1 < max && tokens[curr + 1].type === "text") tokens[curr + 1].content = tokens[curr].content + tokens[curr + 1].content;
    else {
      if (curr !== last2) tokens[last2] = tokens[curr];
      last2++;
    }
  }
  if (curr !== last2) tokens.length = last2;
}
var _rules = [
  ["text", text2],
  ["linkify", linkify],
  ["newline", newline],
  ["escape", escape],
  ["backticks", backtick],
  ["strikethrough", strikethrough_default.tokenize],
  ["emphasis", emphasis_default.tokenize],
  ["link", link2],
  ["image", image2],
  ["autolink", autolink],
  ["html_inline", html_inline],
  ["entity", entity]
];
var _rules2 = [
  ["balance_pairs", link_pairs],
  ["strikethrough", strikethrough_default.postProcess],
  ["emphasis", emphasis_default.postProcess],
  ["fragments_join", fragments_join]
];
var ParserInline = class {
  constructor() {
    _defineProperty(
      this,
      /**
      * {@link Ruler} instance. Keep configuration of inline rules.
      */
      "ruler",
      new Ruler()
    );
    _defineProperty(
      this,
      /**
      * {@link Ruler} instance. Second ruler used for post-processing
      * (e.g. in emphasis-like rules).
      */
      "ruler2",
      new Ruler()
    );
    _defineProperty(this, "State", StateInline);
    for (let i4 = 0; i4 < _rules.length; i4++) this.ruler.push(_rules[i4][0], _rules[i4][1]);
    for (let i4 = 0; i4 < _rules2.length; i4++) this.ruler2.push(_rules2[i4][0], _rules2[i4][1]);
  }
  skipToken(state) {
    const pos = state.pos;
    const rules = this.ruler.getRules("");
    const len = rules.length;
    const maxNesting = state.md.options.maxNesting;
    const cache = state.cache;
    if (typeof cache[pos] !== "undefined") {
      state.pos = cache[pos];
      return;
    }
    let ok = false;
    if (state.level < maxNesting) for (let i4 = 0; i4 < len; i4++) {
      state.level++;
      ok = rules[i4](state, true);
      state.level--;
      if (ok) {
        if (pos >= state.pos) throw new Error("inline rule didn't increment state.pos");
        break;
      }
    }
    else state.pos = state.posMax;
    if (!ok) state.pos++;
    cache[pos] = state.pos;
  }
  tokenize(state) {
    const rules = this.ruler.getRules("");
    const len = rules.length;
    const end = state.posMax;
    const maxNesting = state.md.options.maxNesting;
    while (state.pos < end) {
      const prevPos = state.pos;
      let ok = false;
      if (state.level < maxNesting) for (let i4 = 0; i4 < len; i4++) {
        ok = rules[i4](state, false);
        if (ok) {
          if (prevPos >= state.pos) throw new Error("inline rule didn't increment state.pos");
          break;
        }
      }
      if (ok) {
        if (state.pos >= end) break;
        continue;
      }
      state.pending += state.src[state.pos++];
    }
    if (state.pending) state.pushPending();
  }
  /**
  * Process input string and push inline tokens into `outTokens`
  */
  parse(str, md, env, outTokens) {
    const state = new this.State(str, md, env, outTokens);
    this.tokenize(state);
    const rules = this.ruler2.getRules("");
    const len = rules.length;
    for (let i4 = 0; i4 < len; i4++) rules[i4](state);
  }
};
var config = {
  default: {
    options: {
      html: false,
      xhtmlOut: false,
      breaks: false,
      langPrefix: "language-",
      linkify: false,
      typographer: false,
      quotes: "“”‘’",
      highlight: null,
      maxNesting: 100
    },
    components: {
      core: {},
      block: {},
      inline: {}
    }
  },
  zero: {
    options: {
      html: false,
      xhtmlOut: false,
      breaks: false,
      langPrefix: "language-",
      linkify: false,
      typographer: false,
      quotes: "“”‘’",
      highlight: null,
      maxNesting: 20
    },
    components: {
      core: { rules: [
        "normalize",
        "block",
        "strip_references",
        "inline",
        "text_join"
      ] },
      block: { rules: ["paragraph"] },
      inline: {
        rules: ["text"],
        rules2: ["balance_pairs", "fragments_join"]
      }
    }
  },
  commonmark: {
    options: {
      html: true,
      xhtmlOut: true,
      breaks: false,
      langPrefix: "language-",
      linkify: false,
      typographer: false,
      quotes: "“”‘’",
      highlight: null,
      maxNesting: 20
    },
    components: {
      core: { rules: [
        "normalize",
        "block",
        "strip_references",
        "inline",
        "text_join"
      ] },
      block: { rules: [
        "blockquote",
        "code",
        "fence",
        "heading",
        "hr",
        "html_block",
        "lheading",
        "list",
        "reference",
        "paragraph"
      ] },
      inline: {
        rules: [
          "autolink",
          "backticks",
          "emphasis",
          "entity",
          "escape",
          "html_inline",
          "image",
          "link",
          "newline",
          "text"
        ],
        rules2: [
          "balance_pairs",
          "emphasis",
          "fragments_join"
        ]
      }
    }
  }
};
var BAD_PROTO_RE = /^(vbscript|javascript|file|data):/;
var GOOD_DATA_RE = /^data:image\/(gif|png|jpeg|webp);/;
var RECODE_HOSTNAME_FOR = [
  "http:",
  "https:",
  "mailto:"
];
var MarkdownIt = class {
  /**
  * Link validation function. CommonMark allows too much in links. By default
  * we disable `javascript:`, `vbscript:`, `file:` schemas, and almost all `data:...` schemas
  * except some embedded image types.
  *
  * You can change this behaviour:
  *
  * @example
  * ```javascript
  * import MarkdownIt from 'markdown-it'
  * const md = new MarkdownIt()
  *
  * // enable everything
  * md.validateLink = function () { return true; }
  * ```
  */
  validateLink(url) {
    const str = url.trim().toLowerCase();
    return BAD_PROTO_RE.test(str) ? GOOD_DATA_RE.test(str) : true;
  }
  /**
  * Function used to encode link url to a machine-readable format,
  * which includes url-encoding, punycode, etc.
  */
  normalizeLink(url) {
    const parsed = parse_default(url, true);
    if (parsed.hostname) {
      if (!parsed.protocol || RECODE_HOSTNAME_FOR.indexOf(parsed.protocol) >= 0) try {
        parsed.hostname = punycode_es6_default.toASCII(parsed.hostname);
      } catch (er) {
      }
    }
    if (parsed.auth) parsed.auth = encode_default(parsed.auth);
    if (parsed.hostname) parsed.hostname = encode_default(parsed.hostname);
    if (parsed.pathname) parsed.pathname = encode_default(parsed.pathname);
    if (parsed.search) parsed.search = encode_default(parsed.search);
    if (parsed.hash) parsed.hash = encode_default(parsed.hash);
    return format(parsed);
  }
  /**
  * Function used to decode link url to a human-readable format`
  */
  normalizeLinkText(url) {
    const parsed = parse_default(url, true);
    if (parsed.hostname) {
      if (!parsed.protocol || RECODE_HOSTNAME_FOR.indexOf(parsed.protocol) >= 0) try {
        parsed.hostname = punycode_es6_default.toUnicode(parsed.hostname);
      } catch (er) {
      }
    }
    return decode_default(format(parsed), decode_default.defaultChars + "%");
  }
  constructor(...args) {
    _defineProperty(
      this,
      /**
      * Instance of {@link ParserInline}. You may need it to add new rules when
      * writing plugins. For simple rules control use {@link MarkdownIt.disable}
      * and {@link MarkdownIt.enable}.
      */
      "inline",
      new ParserInline()
    );
    _defineProperty(
      this,
      /**
      * Instance of {@link ParserBlock}. You may need it to add new rules when
      * writing plugins. For simple rules control use {@link MarkdownIt.disable}
      * and {@link MarkdownIt.enable}.
      */
      "block",
      new ParserBlock()
    );
    _defineProperty(
      this,
      /**
      * Instance of {@link ParserCore} chain executor. You may need it to add new
      * rules when writing plugins. For simple rules control use
      * {@link MarkdownIt.disable} and {@link MarkdownIt.enable}.
      */
      "core",
      new ParserCore()
    );
    _defineProperty(
      this,
      /**
      * Instance of {@link Renderer}. Use it to modify output look. Or to add rendering
      * rules for new token types, generated by plugins.
      *
      * See {@link Renderer} docs and
      * [source code](https://github.com/markdown-it/markdown-it/blob/master/src/renderer.ts).
      *
      * @example
      * ```javascript
      * import MarkdownIt from 'markdown-it'
      * const md = new MarkdownIt()
      *
      * function myToken(tokens, idx, options, env, self) {
      *   //...
      *   return result;
      * };
      *
      * md.renderer.rules['my_token'] = myToken
      * ```
      */
      "renderer",
      new Renderer()
    );
    _defineProperty(
      this,
      /**
      * [linkify-it](https://github.com/markdown-it/linkify-it) instance.
      * Used by [linkify](https://github.com/markdown-it/markdown-it/blob/master/src/rules_core/linkify.ts)
      * rule.
      */
      "linkify",
      new LinkifyIt()
    );
    _defineProperty(
      this,
      /**
      * Assorted utility functions, useful to write plugins. See details
      * [here](https://github.com/markdown-it/markdown-it/blob/master/src/common/utils.ts).
      */
      "utils",
      utils_exports
    );
    _defineProperty(
      this,
      /**
      * Link components parser functions, useful to write plugins. See details
      * [here](https://github.com/markdown-it/markdown-it/blob/master/src/helpers).
      */
      "helpers",
      Object.assign({}, helpers_exports)
    );
    const [presetNameOrOptions, options] = args;
    if (typeof presetNameOrOptions === "string") {
      this.configure(presetNameOrOptions);
      if (options) this.set(options);
    } else {
      this.configure("default");
      this.set(presetNameOrOptions || {});
    }
  }
  /**
  * Set parser options (in the same format as in constructor). Probably, you
  * will never need it, but you can change options after constructor call.
  *
  * __Note:__ To achieve the best possible performance, don't modify a
  * `markdown-it` instance options on the fly. If you need multiple configurations
  * it's best to create multiple instances and initialize each with separate
  * config.
  *
  * @example
  * ```javascript
  * import MarkdownIt from 'markdown-it'
  *
  * const md = new MarkdownIt()
  *   .set({ html: true, breaks: true })
  *   .set({ typographer: true })
  * ```
  */
  set(options) {
    Object.assign(this.options, options);
    return this;
  }
  /**
  * Batch load of all options and compenent settings. This is internal method,
  * and you probably will not need it. But if you will - see available presets
  * and data structure [here](https://github.com/markdown-it/markdown-it/tree/master/src/presets)
  *
  * We strongly recommend to use presets instead of direct config loads. That
  * will give better compatibility with next versions.
  */
  configure(presets2) {
    let p5;
    if (typeof presets2 === "string") {
      const presetName = presets2;
      p5 = config[presetName];
      if (!p5) throw new Error(`Wrong 'markdown-it' preset "${presetName}", check name`);
    } else p5 = presets2;
    if (!p5) throw new Error("Wrong `markdown-it` preset, can't be empty");
    if (p5.options) this.options = { ...p5.options };
    const components = p5.components;
    if (components) {
      var _components$inline;
      [
        "core",
        "block",
        "inline"
      ].forEach((name) => {
        var _components$name;
        const rules = (_components$name = components[name]) === null || _components$name === void 0 ? void 0 : _components$name.rules;
        if (rules) this[name].ruler.enableOnly(rules);
      });
      const rules2 = (_components$inline = components.inline) === null || _components$inline === void 0 ? void 0 : _components$inline.rules2;
      if (rules2) this.inline.ruler2.enableOnly(rules2);
    }
    return this;
  }
  /**
  * Enable list or rules. It will automatically find appropriate components,
  * containing rules with given names. If rule not found, and `ignoreInvalid`
  * not set - throws exception.
  *
  * @example
  * ```javascript
  * import MarkdownIt from 'markdown-it'
  *
  * const md = new MarkdownIt()
  *   .enable(['sub', 'sup'])
  *   .disable('smartquotes')
  * ```
  */
  enable(list2, ignoreInvalid = false) {
    let result = [];
    if (!Array.isArray(list2)) list2 = [list2];
    [
      "core",
      "block",
      "inline"
    ].forEach((chain) => {
      result = result.concat(this[chain].ruler.enable(list2, true));
    });
    result = result.concat(this.inline.ruler2.enable(list2, true));
    const missed = list2.filter((name) => result.indexOf(name) < 0);
    if (missed.length && !ignoreInvalid) throw new Error(`MarkdownIt. Failed to enable unknown rule(s): ${missed}`);
    return this;
  }
  /**
  * The same as {@link MarkdownIt.enable}, but turn specified rules off.
  */
  disable(list2, ignoreInvalid = false) {
    let result = [];
    if (!Array.isArray(list2)) list2 = [list2];
    [
      "core",
      "block",
      "inline"
    ].forEach((chain) => {
      result = result.concat(this[chain].ruler.disable(list2, true));
    });
    result = result.concat(this.inline.ruler2.disable(list2, true));
    const missed = list2.filter((name) => result.indexOf(name) < 0);
    if (missed.length && !ignoreInvalid) throw new Error(`MarkdownIt. Failed to disable unknown rule(s): ${missed}`);
    return this;
  }
  /**
  * Load specified plugin with given params into current parser instance.
  * It's just a sugar to call `plugin(md, params)` with curring.
  *
  * @example
  * ```javascript
  * import MarkdownIt from 'markdown-it'
  * import iterator from 'markdown-it-for-inline'
  *
  * const md = new MarkdownIt()
  *   .use(iterator, 'foo_replace', 'text', function (tokens, idx) {
  *     tokens[idx].content = tokens[idx].content.replace(/foo/g, 'bar')
  *   })
  * ```
  */
  use(plugin, ...params) {
    plugin.apply(plugin, [this, ...params]);
    return this;
  }
  /**
  * Parse input string and return list of block tokens (special token type
  * "inline" will contain list of inline tokens). You should not call this
  * method directly, until you write custom renderer (for example, to produce
  * AST).
  *
  * `env` is used to pass data between "distributed" rules and return additional
  * metadata like reference info, needed for the renderer. It also can be used to
  * inject data in specific cases. Usually, you will be ok to pass `{}`,
  * and then pass updated object to renderer.
  */
  parse(src, env) {
    if (typeof src !== "string") throw new Error("Input data should be a String");
    const state = new this.core.State(src, this, env);
    this.core.process(state);
    return state.tokens;
  }
  /**
  * Render markdown string into html. It does all magic for you :).
  *
  * `env` can be used to inject additional metadata (`{}` by default).
  * But you will not need it with high probability. See also comment
  * in {@link MarkdownIt.parse}.
  */
  render(src, env = {}) {
    return this.renderer.render(this.parse(src, env), this.options, env);
  }
  /**
  * The same as {@link MarkdownIt.parse} but skip all block rules. It returns
  * the block tokens list with the single `inline` element, containing parsed
  * inline tokens in `children` property. Also updates `env` object.
  */
  parseInline(src, env) {
    const state = new this.core.State(src, this, env);
    state.inlineMode = true;
    this.core.process(state);
    return state.tokens;
  }
  /**
  * Similar to {@link MarkdownIt.render} but for single paragraph content.
  * Result will NOT be wrapped into `<p>` tags.
  */
  renderInline(src, env = {}) {
    return this.renderer.render(this.parseInline(src, env), this.options, env);
  }
};
_defineProperty(MarkdownIt, "Token", Token);
_defineProperty(MarkdownIt, "Ruler", Ruler);
_defineProperty(MarkdownIt, "Renderer", Renderer);
_defineProperty(MarkdownIt, "ParserCore", ParserCore);
_defineProperty(MarkdownIt, "StateCore", StateCore);
_defineProperty(MarkdownIt, "ParserBlock", ParserBlock);
_defineProperty(MarkdownIt, "StateBlock", StateBlock);
_defineProperty(MarkdownIt, "ParserInline", ParserInline);
_defineProperty(MarkdownIt, "StateInline", StateInline);
var MarkdownItCallable = callable(MarkdownIt);

// node_modules/get-east-asian-width/lookup-data.js
var ambiguousMinimalCodePoint = 161;
var ambiguousMaximumCodePoint = 1114109;
var ambiguousRanges = [161, 161, 164, 164, 167, 168, 170, 170, 173, 174, 176, 180, 182, 186, 188, 191, 198, 198, 208, 208, 215, 216, 222, 225, 230, 230, 232, 234, 236, 237, 240, 240, 242, 243, 247, 250, 252, 252, 254, 254, 257, 257, 273, 273, 275, 275, 283, 283, 294, 295, 299, 299, 305, 307, 312, 312, 319, 322, 324, 324, 328, 331, 333, 333, 338, 339, 358, 359, 363, 363, 462, 462, 464, 464, 466, 466, 468, 468, 470, 470, 472, 472, 474, 474, 476, 476, 593, 593, 609, 609, 708, 708, 711, 711, 713, 715, 717, 717, 720, 720, 728, 731, 733, 733, 735, 735, 768, 879, 913, 929, 931, 937, 945, 961, 963, 969, 1025, 1025, 1040, 1103, 1105, 1105, 8208, 8208, 8211, 8214, 8216, 8217, 8220, 8221, 8224, 8226, 8228, 8231, 8240, 8240, 8242, 8243, 8245, 8245, 8251, 8251, 8254, 8254, 8308, 8308, 8319, 8319, 8321, 8324, 8364, 8364, 8451, 8451, 8453, 8453, 8457, 8457, 8467, 8467, 8470, 8470, 8481, 8482, 8486, 8486, 8491, 8491, 8531, 8532, 8539, 8542, 8544, 8555, 8560, 8569, 8585, 8585, 8592, 8601, 8632, 8633, 8658, 8658, 8660, 8660, 8679, 8679, 8704, 8704, 8706, 8707, 8711, 8712, 8715, 8715, 8719, 8719, 8721, 8721, 8725, 8725, 8730, 8730, 8733, 8736, 8739, 8739, 8741, 8741, 8743, 8748, 8750, 8750, 8756, 8759, 8764, 8765, 8776, 8776, 8780, 8780, 8786, 8786, 8800, 8801, 8804, 8807, 8810, 8811, 8814, 8815, 8834, 8835, 8838, 8839, 8853, 8853, 8857, 8857, 8869, 8869, 8895, 8895, 8978, 8978, 9312, 9449, 9451, 9547, 9552, 9587, 9600, 9615, 9618, 9621, 9632, 9633, 9635, 9641, 9650, 9651, 9654, 9655, 9660, 9661, 9664, 9665, 9670, 9672, 9675, 9675, 9678, 9681, 9698, 9701, 9711, 9711, 9733, 9734, 9737, 9737, 9742, 9743, 9756, 9756, 9758, 9758, 9792, 9792, 9794, 9794, 9824, 9825, 9827, 9829, 9831, 9834, 9836, 9837, 9839, 9839, 9886, 9887, 9919, 9919, 9926, 9933, 9935, 9939, 9941, 9953, 9955, 9955, 9960, 9961, 9963, 9969, 9972, 9972, 9974, 9977, 9979, 9980, 9982, 9983, 10045, 10045, 10102, 10111, 11094, 11097, 12872, 12879, 57344, 63743, 65024, 65039, 65533, 65533, 127232, 127242, 127248, 127277, 127280, 127337, 127344, 127373, 127375, 127376, 127387, 127404, 917760, 917999, 983040, 1048573, 1048576, 1114109];
var fullwidthMinimalCodePoint = 12288;
var fullwidthMaximumCodePoint = 65510;
var fullwidthRanges = [12288, 12288, 65281, 65376, 65504, 65510];
var halfwidthMinimalCodePoint = 8361;
var halfwidthMaximumCodePoint = 65518;
var halfwidthRanges = [8361, 8361, 65377, 65470, 65474, 65479, 65482, 65487, 65490, 65495, 65498, 65500, 65512, 65518];
var narrowMinimalCodePoint = 32;
var narrowMaximumCodePoint = 10630;
var narrowRanges = [32, 126, 162, 163, 165, 166, 172, 172, 175, 175, 10214, 10221, 10629, 10630];
var wideMinimalCodePoint = 4352;
var wideMaximumCodePoint = 262141;
var wideRanges = [4352, 4447, 8986, 8987, 9001, 9002, 9193, 9196, 9200, 9200, 9203, 9203, 9725, 9726, 9748, 9749, 9776, 9783, 9800, 9811, 9855, 9855, 9866, 9871, 9875, 9875, 9889, 9889, 9898, 9899, 9917, 9918, 9924, 9925, 9934, 9934, 9940, 9940, 9962, 9962, 9970, 9971, 9973, 9973, 9978, 9978, 9981, 9981, 9989, 9989, 9994, 9995, 10024, 10024, 10060, 10060, 10062, 10062, 10067, 10069, 10071, 10071, 10133, 10135, 10160, 10160, 10175, 10175, 11035, 11036, 11088, 11088, 11093, 11093, 11904, 11929, 11931, 12019, 12032, 12245, 12272, 12287, 12289, 12350, 12353, 12438, 12441, 12543, 12549, 12591, 12593, 12686, 12688, 12773, 12783, 12830, 12832, 12871, 12880, 42124, 42128, 42182, 43360, 43388, 44032, 55203, 63744, 64255, 65040, 65049, 65072, 65106, 65108, 65126, 65128, 65131, 94176, 94180, 94192, 94198, 94208, 101594, 101631, 101664, 101760, 101874, 101888, 102801, 102816, 102866, 110576, 110579, 110581, 110587, 110589, 110590, 110592, 110888, 110898, 110898, 110928, 110930, 110933, 110933, 110948, 110952, 110960, 111355, 119552, 119638, 119648, 119670, 126980, 126980, 127183, 127183, 127374, 127374, 127377, 127386, 127406, 127406, 127488, 127490, 127504, 127547, 127552, 127560, 127568, 127569, 127584, 127589, 127744, 127776, 127789, 127797, 127799, 127868, 127870, 127891, 127904, 127946, 127951, 127955, 127968, 127984, 127988, 127988, 127992, 128062, 128064, 128064, 128066, 128252, 128255, 128317, 128331, 128334, 128336, 128359, 128378, 128378, 128405, 128406, 128420, 128420, 128507, 128591, 128640, 128709, 128716, 128716, 128720, 128722, 128725, 128729, 128732, 128735, 128747, 128748, 128756, 128764, 128986, 128986, 128992, 129003, 129008, 129008, 129292, 129338, 129340, 129349, 129351, 129535, 129648, 129660, 129664, 129734, 129736, 129736, 129740, 129757, 129759, 129771, 129775, 129786, 131072, 196605, 196608, 262141];

// node_modules/get-east-asian-width/utilities.js
var isInRange = (ranges, codePoint) => {
  let low = 0;
  let high = Math.floor(ranges.length / 2) - 1;
  while (low <= high) {
    const mid = Math.floor((low + high) / 2);
    const i4 = mid * 2;
    if (codePoint < ranges[i4]) {
      high = mid - 1;
    } else if (codePoint > ranges[i4 + 1]) {
      low = mid + 1;
    } else {
      return true;
    }
  }
  return false;
};

// node_modules/get-east-asian-width/lookup.js
var commonCjkCodePoint = 19968;
var [wideFastPathStart, wideFastPathEnd] = /* @__PURE__ */ findWideFastPathRange(wideRanges);
function findWideFastPathRange(ranges) {
  let fastPathStart = ranges[0];
  let fastPathEnd = ranges[1];
  for (let index = 0; index < ranges.length; index += 2) {
    const start2 = ranges[index];
    const end = ranges[index + 1];
    if (commonCjkCodePoint >= start2 && commonCjkCodePoint <= end) {
      return [start2, end];
    }
    if (end - start2 > fastPathEnd - fastPathStart) {
      fastPathStart = start2;
      fastPathEnd = end;
    }
  }
  return [fastPathStart, fastPathEnd];
}
var isAmbiguous = (codePoint) => {
  if (codePoint < ambiguousMinimalCodePoint || codePoint > ambiguousMaximumCodePoint) {
    return false;
  }
  return isInRange(ambiguousRanges, codePoint);
};
var isFullwidth = (codePoint) => {
  if (codePoint < fullwidthMinimalCodePoint || codePoint > fullwidthMaximumCodePoint) {
    return false;
  }
  return isInRange(fullwidthRanges, codePoint);
};
var isHalfwidth = (codePoint) => {
  if (codePoint < halfwidthMinimalCodePoint || codePoint > halfwidthMaximumCodePoint) {
    return false;
  }
  return isInRange(halfwidthRanges, codePoint);
};
var isNarrow = (codePoint) => {
  if (codePoint < narrowMinimalCodePoint || codePoint > narrowMaximumCodePoint) {
    return false;
  }
  return isInRange(narrowRanges, codePoint);
};
var isWide = (codePoint) => {
  if (codePoint >= wideFastPathStart && codePoint <= wideFastPathEnd) {
    return true;
  }
  if (codePoint < wideMinimalCodePoint || codePoint > wideMaximumCodePoint) {
    return false;
  }
  return isInRange(wideRanges, codePoint);
};
function getCategory(codePoint) {
  if (isAmbiguous(codePoint)) {
    return "ambiguous";
  }
  if (isFullwidth(codePoint)) {
    return "fullwidth";
  }
  if (isHalfwidth(codePoint)) {
    return "halfwidth";
  }
  if (isNarrow(codePoint)) {
    return "narrow";
  }
  if (isWide(codePoint)) {
    return "wide";
  }
  return "neutral";
}

// node_modules/get-east-asian-width/index.js
function validate(codePoint) {
  if (!Number.isSafeInteger(codePoint)) {
    throw new TypeError(`Expected a code point, got \`${typeof codePoint}\`.`);
  }
}
function eastAsianWidthType(codePoint) {
  validate(codePoint);
  return getCategory(codePoint);
}

// node_modules/markdown-it-cjk-friendly/dist/index.js
function isEmoji(uc) {
  return /^\p{Emoji_Presentation}/u.test(String.fromCodePoint(uc));
}
function isCjkBase(uc) {
  if (uc < 4352) return false;
  switch (eastAsianWidthType(uc)) {
    case "fullwidth":
    case "halfwidth":
      return true;
    case "wide":
      return !isEmoji(uc);
    case "narrow":
      return false;
    case "ambiguous":
      return null;
    case "neutral":
      return /^\p{sc=Hangul}/u.test(String.fromCodePoint(uc));
  }
}
function is2PreviousCjk(uc, prev) {
  return isCjkBase(uc) ?? (prev === 65025 && isQuotationMark(uc));
  function isQuotationMark(uc2) {
    return uc2 === 8216 || uc2 === 8217 || uc2 === 8220 || uc2 === 8221;
  }
}
function isPreviousCjk(uc) {
  return isCjkBase(uc) ?? (917760 <= uc && uc <= 917999);
}
function isNextCjk(uc) {
  return isCjkBase(uc) ?? false;
}
function nonEmojiGeneralUseVS(uc) {
  return uc >= 65024 && uc <= 65038;
}
function markdownItCjkFriendlyPlugin(md) {
  const PreviousState = md.inline.State;
  class CjkFriendlyState extends PreviousState {
    scanDelims(start2, canSplitWord) {
      const max = this.posMax;
      const marker = this.src.charCodeAt(start2);
      const [lastChar, lastCharPos] = getLastCharCode(this.src, start2);
      let lastMainChar = lastChar;
      let twoPrevChar = null;
      if (nonEmojiGeneralUseVS(lastChar)) {
        twoPrevChar = getLastCharCode(this.src, lastCharPos)[0];
        if (!/^\p{Zs}/u.test(String.fromCodePoint(twoPrevChar))) lastMainChar = twoPrevChar;
      }
      let pos = start2;
      while (pos < max && this.src.charCodeAt(pos) === marker) pos++;
      const count3 = pos - start2;
      const nextChar = pos < max ? this.src.codePointAt(pos) : 32;
      const isLastWhiteSpace = md.utils.isWhiteSpace(lastMainChar);
      const isNextWhiteSpace = md.utils.isWhiteSpace(nextChar);
      if (isLastWhiteSpace || isNextWhiteSpace) return {
        can_open: !isNextWhiteSpace,
        can_close: !isLastWhiteSpace,
        length: count3
      };
      const isLastPunctChar = md.utils.isMdAsciiPunct(lastMainChar) || md.utils.isPunctChar(String.fromCodePoint(lastMainChar));
      const isNextPunctChar = md.utils.isMdAsciiPunct(nextChar) || md.utils.isPunctChar(String.fromCodePoint(nextChar));
      let left_flanking = isLastPunctChar;
      let right_flanking = isNextPunctChar;
      if (canSplitWord) {
        const isEitherCJKChar = isNextCjk(nextChar) || (twoPrevChar !== null ? is2PreviousCjk(twoPrevChar, lastChar) : isPreviousCjk(lastChar));
        left_flanking ||= isEitherCJKChar || !isNextPunctChar;
        right_flanking ||= isEitherCJKChar || !isLastPunctChar;
      }
      return {
        can_open: left_flanking,
        can_close: right_flanking,
        length: count3
      };
      function getLastCharCode(str, pos2) {
        if (pos2 <= 0) return [32, -1];
        const charCode = str.charCodeAt(pos2 - 1);
        if ((charCode & 64512) !== 56320) return [charCode, pos2 - 1];
        const codePoint = str.codePointAt(pos2 - 2);
        return codePoint > 65535 ? [codePoint, pos2 - 2] : [charCode, pos2 - 1];
      }
    }
  }
  md.inline.State = CjkFriendlyState;
}

// app/markdown/parser.ts
function createParser() {
  return MarkdownItCallable({ html: false }).use(markdownItCjkFriendlyPlugin).use(math2).use(tasks);
}
function math2(md) {
  md.inline.ruler.before("escape", "math_inline", (state, silent) => {
    const { src, pos } = state;
    const [from, to] = src.startsWith("\\(", pos) ? ["\\(", "\\)"] : src.startsWith("$$", pos) ? ["$$", "$$"] : src[pos] === "$" ? ["$", "$"] : [];
    if (!from || !to) return false;
    const start2 = pos + from.length;
    let end = src.indexOf(to, start2);
    while (end > 0 && src[end - 1] === "\\" && to[0] === "$") end = src.indexOf(to, end + 1);
    if (end <= start2) return false;
    const tex = src.slice(start2, end);
    const money2 = /^\s|\s$|\n/.test(tex) || /\d/.test(src[end + 1] ?? "") || /^\d[\d.,]*\s/.test(tex);
    if (from === "$" && money2) return false;
    if (!silent) state.push("math_inline", "span", 0).content = tex;
    state.pos = end + to.length;
    return true;
  });
  md.block.ruler.before("fence", "math_block", (state, startLine, endLine, silent) => {
    const text3 = (n3) => state.src.slice(state.bMarks[n3] + (n3 === startLine ? state.tShift[n3] : 0), state.eMarks[n3]);
    const first = text3(startLine).trim();
    const close2 = first.startsWith("$$") ? "$$" : first.startsWith("\\[") ? "\\]" : "";
    if (!close2) return false;
    const body = [first.slice(2)];
    let line = startLine;
    while (!body[body.length - 1].trimEnd().endsWith(close2)) {
      if (++line >= endLine) return false;
      body.push(text3(line));
    }
    if (silent) return true;
    const token = state.push("math_block", "div", 0);
    token.content = body.join("\n").trimEnd().slice(0, -close2.length).trim();
    token.map = [startLine, line + 1];
    token.block = true;
    state.line = line + 1;
    return true;
  }, { alt: ["paragraph", "reference", "blockquote", "list"] });
}
function tasks(md) {
  md.core.ruler.after("inline", "tasks", (state) => {
    for (const [i4, token] of state.tokens.entries()) {
      if (token.type !== "inline" || state.tokens[i4 - 2]?.type !== "list_item_open") continue;
      const first = token.children?.[0];
      const box = first?.type === "text" && /^\[([ xX])\] /.exec(first.content);
      if (!first || !box) continue;
      first.content = first.content.slice(4);
      const task = new state.Token("task", "input", 0);
      task.content = box[1] === " " ? "" : "x";
      token.children.unshift(task);
    }
  });
}

// app/markdown/heal.ts
function heal(src) {
  const marker = /(^|\n)[ \t]*([-=*+>|_]+|#{1,6}|\d{1,9}[.)]?)[ \t]*$/.exec(src);
  if (marker) src = src.slice(0, marker.index + marker[1].length);
  const at2 = src.lastIndexOf("\n\n") + 1;
  let last2 = src.slice(at2);
  if (/^\s*(```|~~~|\$\$)/m.test(last2)) return src;
  if (count2(last2, /`/g) % 2) return src + "`";
  last2 = last2.replace(/!?\[([^\]\n]{0,200})(\]\([^)\s]*)?$/, "$1").replace(/(^|\s)\*{1,2}$|~{1,2}$/, "$1");
  const bare = last2.replace(/`[^`]*`/g, "");
  let closers = "";
  if (count2(bare, /\*\*/g) % 2) closers += bare.endsWith("*") && !bare.endsWith("**") ? "*" : "**";
  if (count2(bare, /~~/g) % 2) closers += "~~";
  return src.slice(0, at2) + (closers ? last2.trimEnd() + closers : last2);
}
var count2 = (s4, re) => s4.match(re)?.length ?? 0;

// app/markdown/stream.ts
var FENCE_CHUNK = 60;
var FRAME_LIMIT = 12e3;
var StreamingMarkdown = class {
  constructor(root, md, hooks) {
    this.root = root;
    this.md = md;
    this.hooks = hooks;
  }
  root;
  md;
  hooks;
  source = "";
  pending = "";
  /** Text of the open block; in a fence, of the unfinished line. */
  tail = "";
  env = {};
  /** Nodes of the open block and of a provisional one after it; all earlier nodes are final. */
  open = [];
  container = null;
  fence = null;
  append(delta) {
    this.pending += delta;
  }
  /** Call once a frame. A backlog (a replay after a reconnect) is spread over frames. Returns true while some is left. */
  flush(limit = FRAME_LIMIT) {
    const take = this.pending.slice(0, limit);
    const held = take.endsWith("\r") ? 1 : 0;
    const text3 = take.slice(0, take.length - held).replace(/\r\n?/g, "\n");
    this.pending = this.pending.slice(take.length - held);
    if (text3) this.feed(text3);
    return this.pending.length > held;
  }
  end() {
    this.flush(Infinity);
    this.pending = "";
    if (this.fence) this.closeFence("");
    if (this.tail) this.parse(true);
    if (Object.keys(this.env.references ?? {}).length) this.rebuild();
    for (const node of this.open) this.hooks.settled?.(node);
    this.open = [];
  }
  feed(text3) {
    this.source += text3;
    if (this.fence) this.feedFence(text3);
    else {
      this.tail += text3;
      this.parse(false);
    }
  }
  rebuild() {
    const fresh = this.build(this.md.parse(this.source, {}));
    this.open = [...fresh.children];
    this.root.replaceChildren(...fresh.childNodes);
  }
  build(tokens) {
    const box = el("div");
    render(tokens, box, this.hooks);
    return box;
  }
  parse(final) {
    const src = (this.container?.head ?? "") + this.tail;
    const blocks = topLevel(this.md.parse(final ? src : heal(src), this.env));
    if (!blocks.length) return;
    const lines = lineStarts(src);
    const partial = final || src.endsWith("\n") ? Infinity : lines.length - 1;
    let keep = blocks.length - 1;
    if (keep > 0 && blocks[keep].line >= partial) keep--;
    const nodes = [];
    let first = 0;
    if (this.container) {
      this.fill(this.container, blocks[0].tokens);
      const owner = this.open.shift();
      if (keep > 0) {
        this.hooks.settled?.(owner);
        this.container = null;
      } else nodes.push(owner);
      first = 1;
    }
    for (const [i4, block3] of blocks.entries()) {
      if (i4 < first) continue;
      const node = this.place(this.open.shift(), this.build(block3.tokens).firstElementChild);
      if (i4 < keep) this.hooks.settled?.(node);
      else nodes.push(node);
    }
    for (const stale of this.open) stale.remove();
    this.open = nodes;
    const block2 = blocks[keep];
    this.tail = src.slice(lines[block2.line]);
    if (this.container) this.trim(this.container, block2);
    else if (!final && keep === blocks.length - 1) this.openContainer(block2);
  }
  place(old, fresh) {
    if (!old) return this.root.appendChild(fresh);
    if (old.isEqualNode(fresh)) return old;
    if (old.nodeName === fresh.nodeName && old.className === fresh.className && !old.matches(".code-card")) {
      morph(old, fresh);
      return old;
    }
    old.replaceWith(fresh);
    return fresh;
  }
  openContainer(block2) {
    const node = this.open[0];
    if (block2.type === "fence") this.openFence(block2.tokens[0], node);
    else if (pieces(block2).length > 1) {
      const table2 = block2.type === "table_open";
      const host = table2 ? node.querySelector("tbody") : node;
      const head = table2 ? this.tail.slice(0, nthNewline(this.tail, 2)) : "";
      this.container = { host, head, piece: host.lastElementChild };
      this.trim(this.container, block2);
    }
  }
  /** Drops the text of every finished item. `this.tail` starts where `block` starts. */
  trim(container, block2) {
    const last2 = pieces(block2).at(-1)?.map;
    const text3 = this.tail;
    if (last2) this.tail = text3.slice(lineStarts(text3)[last2[0] - block2.line]);
    else this.tail = text3.slice(container.head.length);
  }
  fill(container, tokens) {
    const box = this.build(tokens);
    const from = container.head ? box.querySelector("tbody") : box.firstElementChild;
    for (const [i4, node] of [...from?.children ?? []].entries()) {
      if (i4 === 0 && container.piece) container.piece = patch(container.piece, node);
      else container.piece = container.host.appendChild(node);
    }
  }
  openFence(token, placed) {
    const infoEnds = this.tail.indexOf("\n") + 1;
    const close2 = new RegExp(`^ {0,3}${token.markup[0]}{${token.markup.length},}[ \\t]*$`);
    const body = this.tail.slice(infoEnds);
    if (!infoEnds || body.split("\n").some((line) => close2.test(line))) return;
    const lang = langOf(token);
    const node = this.hooks.code(lang, "", true);
    const code2 = node.querySelector("code");
    const chunk = el("div"), done = textNode(), live = textNode();
    chunk.append(done, live);
    code2.replaceChildren(chunk);
    placed.replaceWith(node);
    this.open = [node];
    this.fence = { lang, node, code: code2, chunk, done, live, close: close2, lines: 0 };
    this.tail = "";
    this.feedFence(body);
  }
  feedFence(text3) {
    const f5 = this.fence;
    const all = this.tail + text3;
    let at2 = 0, ready = "";
    for (let nl = all.indexOf("\n"); nl !== -1; nl = all.indexOf("\n", at2)) {
      const line = all.slice(at2, nl);
      at2 = nl + 1;
      if (f5.close.test(line)) {
        f5.done.appendData(ready);
        this.tail = "";
        this.closeFence(all.slice(at2));
        return;
      }
      ready += line + "\n";
      if (++f5.lines % FENCE_CHUNK === 0) {
        f5.done.appendData(ready);
        ready = "";
        f5.chunk = f5.code.appendChild(el("div"));
        f5.done = textNode();
        f5.chunk.append(f5.done, f5.live);
      }
    }
    f5.done.appendData(ready);
    this.tail = all.slice(at2);
    f5.live.data = /^ {0,3}[`~]+$/.test(this.tail) ? "" : this.tail;
  }
  closeFence(rest) {
    const f5 = this.fence;
    f5.live.data = f5.close.test(this.tail) ? "" : this.tail;
    const node = this.hooks.code(f5.lang, f5.code.textContent ?? "", false);
    f5.node.replaceWith(node);
    this.hooks.settled?.(node);
    this.fence = null;
    this.open = [];
    this.tail = rest;
    if (rest.trim()) this.parse(false);
  }
};
function topLevel(tokens) {
  const blocks = [];
  let start2 = 0;
  for (const [i4, t5] of tokens.entries()) {
    if (t5.level > 0 || t5.nesting === 1) continue;
    const head = tokens[start2];
    blocks.push({ type: head.type, tokens: tokens.slice(start2, i4 + 1), line: head.map?.[0] ?? 0 });
    start2 = i4 + 1;
  }
  return blocks;
}
function pieces(block2) {
  if (block2.type === "table_open") return block2.tokens.filter((t5) => t5.type === "tr_open" && t5.level === 2).filter((t5) => (t5.map?.[0] ?? 0) > block2.line);
  if (block2.type.endsWith("_list_open")) return block2.tokens.filter((t5) => t5.type === "list_item_open" && t5.level === 1);
  return [];
}
function lineStarts(s4) {
  const out = [0];
  for (let i4 = s4.indexOf("\n"); i4 !== -1; i4 = s4.indexOf("\n", i4 + 1)) out.push(i4 + 1);
  return out;
}
function nthNewline(s4, n3) {
  let at2 = 0;
  while (n3--) at2 = s4.indexOf("\n", at2) + 1;
  return at2;
}
var textNode = () => document.createTextNode("");

// app/parts/prose.tsx
var parser = createParser();
var Painter = class {
  constructor(root, part) {
    this.root = root;
    this.part = part;
    this.engine = new StreamingMarkdown(root, parser, markdownHooks);
  }
  root;
  part;
  engine;
  fed = "";
  ended = false;
  /** The same text under another object goes on where the last one stopped; other text starts again. */
  adopt(part) {
    this.part = part;
    if (part.text.startsWith(this.fed) && !(this.ended && part.text.length > this.fed.length)) return;
    this.root.replaceChildren();
    this.engine = new StreamingMarkdown(this.root, parser, markdownHooks);
    this.fed = "";
    this.ended = false;
  }
  paint() {
    if (this.ended) return false;
    const { text: text3, open: open3 } = this.part;
    if (text3.length > this.fed.length) {
      this.engine.append(text3.slice(this.fed.length));
      this.fed = text3;
    }
    if (this.engine.flush()) return true;
    if (!open3) {
      this.engine.end();
      this.ended = true;
    }
    return false;
  }
};
function Prose({ part, open: open3 }) {
  const root = T2(null);
  const painter = T2(null);
  F2(() => {
    const mine = painter.current ??= new Painter(root.current, part);
    mine.adopt(part);
    if (mine.paint()) repaint(mine);
    const off = onGrowth(part, () => repaint(mine));
    return () => {
      off();
      forget(mine);
    };
  }, [part, open3]);
  return /* @__PURE__ */ a4("div", { class: "prose", ref: root });
}

// app/parts/plain-text.tsx
var Painter2 = class {
  constructor(root, part, scroller) {
    this.root = root;
    this.part = part;
    this.scroller = scroller;
    root.append(this.live);
  }
  root;
  part;
  scroller;
  fed = 0;
  text = "";
  live = document.createTextNode("");
  adopt(part) {
    this.part = part;
    if (part.text.startsWith(this.text)) return;
    this.root.replaceChildren(this.live);
    this.live.data = "";
    this.fed = 0;
  }
  paint() {
    const { text: text3, open: open3 } = this.part;
    if (text3.length === this.fed) {
      if (!open3) this.end();
      return false;
    }
    const pinned = this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < 24;
    const lines = (this.live.data + text3.slice(this.fed)).split("\n");
    this.fed = text3.length;
    this.text = text3;
    const last2 = lines.pop() ?? "";
    for (const line of lines) this.finish(line);
    if (lines.length === 0 && last2.startsWith(this.live.data)) this.live.appendData(last2.slice(this.live.data.length));
    else this.live.data = last2;
    if (!open3) this.end();
    if (pinned) this.scroller.scrollTop = this.scroller.scrollHeight;
    return false;
  }
  /** Nothing more will come: the last line gets its code spans too. */
  end() {
    if (!this.live.data.includes("`")) return;
    const last2 = this.live.data;
    this.live.data = "";
    this.spans(last2);
  }
  finish(line) {
    this.spans(line);
    this.live.before("\n");
  }
  spans(line) {
    for (const [i4, piece] of line.split(/`([^`]+)`/).entries()) {
      if (piece === "") continue;
      if (i4 % 2 === 0) {
        this.live.before(piece);
        continue;
      }
      const code2 = document.createElement("code");
      code2.textContent = piece;
      this.live.before(code2);
    }
  }
};
function PlainText({ part, open: open3, label }) {
  const root = T2(null);
  const painter = T2(null);
  F2(() => {
    const box = root.current;
    const mine = painter.current ??= new Painter2(box, part, box);
    mine.adopt(part);
    mine.paint();
    const off = onGrowth(part, () => repaint(mine));
    return () => {
      off();
      forget(mine);
    };
  }, [part, open3]);
  return /* @__PURE__ */ a4("div", { class: "think", tabIndex: 0, role: "region", "aria-label": label, ref: root });
}

// app/parts/reasoning.tsx
function Reasoning({ part, open: open3, id: id2 }) {
  const { text: text3 } = part;
  const mode = reasoning.value;
  const shown = mode === "open" || mode === "live" && open3;
  const words = open3 ? t2.reasoning.live : t2.reasoning.done;
  const empty = !open3 && text3.trim() === "";
  return /* @__PURE__ */ a4(
    Step,
    {
      id: id2,
      mark: open3 ? "live" : "ok",
      state: "",
      open: shown && !empty,
      summary: /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("b", { children: words }),
        " ",
        open3 ? /* @__PURE__ */ a4(Elapsed, {}) : part.duration_ms !== void 0 && /* @__PURE__ */ a4("span", { children: t2.reasoning.forTime(duration(part.duration_ms)) }),
        /* @__PURE__ */ a4(Gist, { part, open: open3 })
      ] }),
      body: () => empty ? /* @__PURE__ */ a4("p", { class: "quiet", children: t2.reasoning.empty }) : /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4(PlainText, { part, open: open3, label: t2.reasoning.body }),
        !open3 && /* @__PURE__ */ a4("button", { type: "button", class: "small", onClick: () => void copyText(text3), children: t2.copy })
      ] })
    }
  );
}
function Elapsed() {
  return /* @__PURE__ */ a4("span", { class: "tabular", children: duration(Math.max(100, Math.floor(useElapsed(true) / 1e3) * 1e3)) });
}
function Gist({ part, open: open3 }) {
  const node = T2(null);
  A2(() => {
    const draw = () => {
      if (node.current) node.current.textContent = gist(part);
    };
    draw();
    return open3 ? onGrowth(part, () => nextFrame(draw)) : void 0;
  }, [part, open3]);
  return /* @__PURE__ */ a4("span", { class: "gist", ref: node });
}
function gist(part) {
  const flat = (part.open ? part.text.slice(-240) : part.text.slice(0, 400)).replace(/[`*]+/g, "").replace(/\s+/g, " ").trim();
  const letters = [...flat];
  if (letters.length === 0) return "";
  if (part.open) return letters.length > 60 ? `…${letters.slice(-60).join("")}` : flat;
  return letters.length > 80 ? `${letters.slice(0, 79).join("")}…` : flat;
}

// app/views/model-dialog.tsx
var modelDialog = y3(null);
var ModelSetup = ln(() => import("./pages.js").then((m5) => m5.ModelSetup));
function ModelDialog() {
  const now = modelDialog.value;
  if (!now) return null;
  const close2 = () => {
    modelDialog.value = null;
  };
  return /* @__PURE__ */ a4(Dialog, { title: t2.setup.title, onClose: close2, class: "wide", children: /* @__PURE__ */ a4(fn, { fallback: null, children: /* @__PURE__ */ a4(ModelSetup, { onDone: () => {
    close2();
    now.onDone();
  } }) }) });
}

// app/views/failure.tsx
var NOTHING_SET_UP = /^(no model is configured|$)/i;
var endNote = (turn) => toldByNotice(turn) ? null : wordsOf(turn);
function wordsOf(turn) {
  const reason = turn.stop_reason ?? (turn.state === "cancelled" || turn.state === "interrupted" ? turn.state : turn.state === "failed" ? "error" : "completed");
  if (turn.error) return ofError(turn, turn.error.code, turn.error.detail);
  switch (reason) {
    case "completed":
      return null;
    case "cancelled":
      return { text: t2.failure.stopped, tone: "calm" };
    case "interrupted":
      return { text: t2.failure.interrupted, tone: "warn", retry: true };
    case "loop":
      return { text: t2.failure.loop, tone: "warn", retry: true };
    case "max_iterations":
      return { text: t2.failure.max_iterations, tone: "warn", retry: true };
    case "budget":
      return { text: t2.failure.budget, tone: "warn" };
    case "empty_final_response":
      return { text: t2.failure.empty_final_response, tone: "warn", retry: true };
    default:
      return { text: t2.failure.other, tone: "err", retry: true };
  }
}
function ofError(turn, code2, detail) {
  const f5 = t2.failure;
  const who = presetOf(turn.preset ?? null)?.provider ?? f5.provider;
  const base2 = { tone: "err", detail, retry: true };
  switch (code2) {
    case "no_model":
      return { text: NOTHING_SET_UP.test(detail) ? f5.no_model : f5.no_model_because(detail), tone: "warn", setUp: true, retry: true };
    case "provider_auth":
      return { ...base2, text: f5.provider_auth(who), settings: true, other: true };
    case "provider_not_found":
    case "provider_quota":
      return { ...base2, text: f5[code2](who), settings: true, other: true };
    case "provider_rate_limit":
    case "provider_unavailable":
    case "provider_timeout":
    case "provider_paused":
    case "provider_bad_response":
    case "provider_refused_request":
      return { ...base2, text: f5[code2](who), other: true };
    // The same request would be refused again.
    case "model_refused":
      return { text: f5.model_refused, tone: "warn", detail, rephrase: true, other: true };
    case "context_length": {
      const { context_tokens: used, context_window_tokens: max } = turn;
      return { ...base2, text: used && max ? f5.context_length_of(short(used), short(max)) : f5.context_length, fork: true, other: true };
    }
    case "stream_truncated":
      return { ...base2, text: f5.stream_truncated };
    case "storage":
      return { ...base2, text: f5.storage };
    case "internal":
      return { ...base2, text: f5.internal };
    default:
      return { ...base2, text: f5.other };
  }
}
function Failure({ turn, last: last2 }) {
  const words = endNote(turn);
  if (!words) return null;
  if (words.tone === "calm") return /* @__PURE__ */ a4("div", { class: "step off ended", children: /* @__PURE__ */ a4("div", { class: "line", children: /* @__PURE__ */ a4("b", { children: words.text }) }) });
  return /* @__PURE__ */ a4("div", { class: `step ${words.tone === "err" ? "bad" : "ask"} ended`, children: /* @__PURE__ */ a4("div", { class: `note ${words.tone}`, children: [
    /* @__PURE__ */ a4("p", { children: words.text }),
    words.detail && /* @__PURE__ */ a4("details", { class: "fold", children: [
      /* @__PURE__ */ a4("summary", { children: t2.failure.details }),
      /* @__PURE__ */ a4("pre", { tabIndex: 0, children: words.detail })
    ] }),
    last2 && /* @__PURE__ */ a4("div", { class: "row", children: [
      words.setUp && /* @__PURE__ */ a4("button", { type: "button", class: "go", onClick: () => {
        modelDialog.value = { onDone: () => retry(turn) };
      }, children: t2.failure.setUp }),
      words.settings && /* @__PURE__ */ a4("a", { class: "button line", href: "/settings/models", children: t2.failure.openProvider }),
      words.retry && /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => retry(turn), children: t2.failure.retry }),
      words.rephrase && turn.user && /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => {
        editing.value = turn.user ?? null;
      }, children: t2.failure.rephrase }),
      words.other && /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => {
        modelPicker.value = { onChosen: () => retry(turn) };
      }, children: t2.failure.otherModel }),
      words.fork && turn.answer_id && /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => void fork(turn), children: t2.failure.fork })
    ] })
  ] }) });
}

// app/views/request.tsx
var LINES_SHOWN3 = 12;
var CHARS_SHOWN = 1500;
function Request({ turn, entry }) {
  const content = turn?.user?.content ?? entry?.content ?? "";
  const at2 = turn?.user?.created_at ?? entry?.created_at ?? 0;
  return /* @__PURE__ */ a4("article", { class: "user", id: turn?.user && `m-${turn.user.id}`, "aria-label": t2.thread.userName(clock(at2)), tabIndex: -1, children: [
    /* @__PURE__ */ a4("div", { class: "who", children: [
      t2.you,
      " · ",
      /* @__PURE__ */ a4("time", { dateTime: new Date(at2).toISOString(), title: fullTime(at2), children: clock(at2) })
    ] }),
    /* @__PURE__ */ a4(LongText, { text: content }),
    entry && /* @__PURE__ */ a4(Delivery, { entry }),
    turn?.user && /* @__PURE__ */ a4("div", { class: "acts on-demand", role: "group", "aria-label": t2.actions.label, children: [
      /* @__PURE__ */ a4("button", { type: "button", onClick: () => void copyText(content), children: t2.actions.copy }),
      isSettled(turn) && /* @__PURE__ */ a4("button", { class: "when-idle", type: "button", onClick: () => {
        editing.value = turn.user ?? null;
      }, children: t2.actions.edit })
    ] })
  ] });
}
function LongText({ text: text3 }) {
  const long = text3.length > CHARS_SHOWN || text3.split("\n", LINES_SHOWN3 + 1).length > LINES_SHOWN3;
  const [all, setAll] = d2(false);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("div", { class: long && !all ? "said folded" : "said", dir: "auto", children: text3 }),
    long && /* @__PURE__ */ a4("button", { type: "button", class: "small", "aria-expanded": all, onClick: () => setAll(!all), children: all ? t2.thread.less : t2.thread.more })
  ] });
}
function Delivery({ entry }) {
  const id2 = entry.client_message_id;
  const silent = entry.reason?.code === NO_ANSWER;
  if (entry.state !== "failed") {
    const offline = connection.value !== "ready" && entry.state !== "accepted";
    return /* @__PURE__ */ a4("p", { class: "delivery", role: "status", children: offline ? t2.outbox.waiting : t2.outbox[entry.state] });
  }
  const detail = entry.reason?.detail || entry.reason?.code || "";
  return /* @__PURE__ */ a4("p", { class: "delivery failed", role: "alert", children: [
    silent ? t2.outbox.noAnswer : t2.outbox.failed(detail),
    /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => outbox.retry(id2), children: t2.retry }),
    /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => editUnsent(entry), children: t2.edit }),
    /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => {
      outbox.remove(id2);
    }, children: t2.discard })
  ] });
}
function Steered({ part }) {
  return /* @__PURE__ */ a4("div", { class: "user steered", id: `m-${part.message_id}`, children: [
    /* @__PURE__ */ a4("div", { class: "who", children: [
      t2.you,
      " · ",
      t2.thread.steered
    ] }),
    /* @__PURE__ */ a4("div", { class: "said", dir: "auto", children: part.text })
  ] });
}

// app/views/turn-actions.tsx
function TurnActions({ turn, retried }) {
  const text3 = answerText(turn);
  const branch = turn.user?.branch;
  const session = open.peek();
  return /* @__PURE__ */ a4("div", { class: "acts", role: "group", "aria-label": t2.actions.label, children: [
    text3 && /* @__PURE__ */ a4(CopyButton, { text: text3 }),
    turn.user && !retried && /* @__PURE__ */ a4("button", { class: "when-idle", type: "button", onClick: () => retry(turn), children: t2.actions.retry }),
    turn.answer_id !== void 0 && /* @__PURE__ */ a4("button", { class: "when-idle", type: "button", onClick: () => void fork(turn), children: t2.actions.fork }),
    session && /* @__PURE__ */ a4("a", { href: inspectPath(session.id, turn.id), children: t2.actions.inspect }),
    turn.user && branch && branch.count > 1 && /* @__PURE__ */ a4(BranchPicker, { branch, message: turn.user.id })
  ] });
}
function CopyButton({ text: text3 }) {
  const [done, setDone] = d2(false);
  const copy = async () => {
    if (!await copyText(text3)) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return /* @__PURE__ */ a4("button", { type: "button", onClick: () => void copy(), children: done ? t2.copied : t2.actions.copy });
}
function BranchPicker({ branch, message }) {
  const index = branch.siblings.indexOf(message) + 1 || branch.count;
  const to = (step) => {
    const id2 = branch.siblings[index - 1 + step];
    if (id2) void chooseBranch(id2);
  };
  return /* @__PURE__ */ a4("span", { class: "branches", role: "group", "aria-label": t2.actions.branchLabel(index, branch.count), children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "icon-button", "aria-label": t2.actions.previous, disabled: index <= 1, onClick: () => to(-1), children: /* @__PURE__ */ a4(Icon, { name: "back" }) }),
    /* @__PURE__ */ a4("span", { class: "tabular", children: t2.actions.branch(index, branch.count) }),
    /* @__PURE__ */ a4("button", { type: "button", class: "icon-button", "aria-label": t2.actions.next, disabled: index >= branch.count, onClick: () => to(1), children: /* @__PURE__ */ a4(Icon, { name: "chevron" }) })
  ] });
}

// app/views/turn.tsx
var FOLD_FROM = 4;
var watched = /* @__PURE__ */ new Set();
var TurnItem = A4(function TurnItem2({ session, turn, entry, last: last2 }) {
  if (session && turn) subscribeTurn(session, turn);
  const busy = turn !== void 0 && !isSettled(turn);
  return /* @__PURE__ */ a4("div", { class: busy ? "turn-item busy" : "turn-item", "data-turn": turn?.id, children: [
    turn ? turn.user && /* @__PURE__ */ a4(Request, { turn }) : entry && /* @__PURE__ */ a4(Request, { entry }),
    turn && (turn.parts.length > 0 || isLive(turn) || isSettled(turn)) && /* @__PURE__ */ a4(Work, { turn, busy, last: last2 })
  ] });
});
function Work({ turn, busy, last: last2 }) {
  if (busy) watched.add(turn.id);
  const rows = rowsOf(turn.parts);
  const groups = groupSteps(rows, watched.has(turn.id) ? Infinity : FOLD_FROM);
  const steps = countSteps(rows).steps;
  return /* @__PURE__ */ a4("article", { class: "turn", "aria-label": t2.thread.turnName(steps, t2.thread.states[turn.state] ?? turn.state), "aria-busy": busy, children: [
    /* @__PURE__ */ a4("h2", { class: "visually-hidden", children: t2.agent }),
    groups.map((group) => group.kind === "part" ? /* @__PURE__ */ a4(PartView, { turn, part: group.part }, group.part.stream_id) : /* @__PURE__ */ a4(StepGroup, { turn, parts: group.parts }, group.parts[0].stream_id)),
    isLive(turn) && waiting2(turn) && /* @__PURE__ */ a4("div", { class: "step live", children: /* @__PURE__ */ a4("div", { class: "line quiet", children: [
      turn.parts.length === 0 ? t2.thread.preparing : t2.thread.states.running,
      "…"
    ] }) }),
    !busy && /* @__PURE__ */ a4(Failure, { turn, last: last2 }),
    !busy && /* @__PURE__ */ a4(TurnActions, { turn, retried: last2 && endNote(turn)?.retry === true })
  ] });
}
function waiting2(turn) {
  const part = turn.parts.at(-1);
  if (turn.state === "awaiting_approval") return false;
  if (!part) return true;
  if (part.kind === "tool") return part.status !== "running" && part.status !== "waiting";
  if (part.kind === "approval") return !isPending(part.approval);
  if (part.kind === "provider_tool") return part.phase === "done" || part.phase === "error";
  if (part.kind === "notice" && part.code === "retry_wait") return false;
  return !("open" in part) || !part.open;
}
var isLast = (turn, part) => turn.parts.slice(turn.parts.indexOf(part) + 1).every((p5) => p5.kind === "steer");
function PartView({ turn, part }) {
  return /* @__PURE__ */ a4(Boundary, { raw: "text" in part ? part.text : part.kind, children: /* @__PURE__ */ a4(PartBody, { turn, part }) });
}
function PartBody({ turn, part }) {
  const id2 = `${turn.id}/${part.stream_id}`;
  switch (part.kind) {
    case "reasoning":
      return /* @__PURE__ */ a4(Reasoning, { part, open: part.open, id: id2 });
    case "text":
      return part.text === "" && !part.open ? null : /* @__PURE__ */ a4(Prose, { part, open: part.open });
    case "tool":
      return /* @__PURE__ */ a4(ToolRow, { part, status: part.status, approval: part.approval, id: id2 });
    case "approval":
      return isPending(part.approval) && isLive(turn) ? /* @__PURE__ */ a4("div", { class: "step wait", "data-step": id2, children: /* @__PURE__ */ a4(BudgetCard, { approval: part.approval }) }) : /* @__PURE__ */ a4(DecidedBudget, { approval: part.approval, id: id2 });
    case "provider_tool":
      return /* @__PURE__ */ a4(ProviderToolRow, { part, phase: part.phase, text: part.text, id: id2 });
    case "notice":
      return /* @__PURE__ */ a4(Notice, { part, id: id2, last: isLast(turn, part), endedAt: isLive(turn) ? void 0 : turn.ended_at ?? 0 });
    case "shortened":
      return /* @__PURE__ */ a4(Shortened, { row: part, id: id2 });
    case "steer":
      return /* @__PURE__ */ a4(Steered, { part });
    default:
      return /* @__PURE__ */ a4(UnknownPart, { id: id2, kind: part.kind });
  }
}
function StepGroup({ turn, parts }) {
  const counts = countSteps(parts);
  const time = counts.durationMs > 0 ? duration(counts.durationMs) : "";
  return /* @__PURE__ */ a4(
    Step,
    {
      id: `${turn.id}/group/${parts[0].stream_id}`,
      mark: counts.failed ? "bad" : "ok",
      state: "",
      summary: /* @__PURE__ */ a4("b", { class: "group-line", children: t2.thread.stepsLine(counts.steps, time, counts.failed) }),
      body: () => /* @__PURE__ */ a4("div", { class: "group", children: parts.map((part) => /* @__PURE__ */ a4(PartView, { turn, part }, part.stream_id)) })
    }
  );
}

// app/views/thread.tsx
var SCREENS_AHEAD = 1.5;
var MARK_MS = 2e3;
var MAX_PAGES_FOR_LINK = 100;
var follower = null;
function Thread({ session, message }) {
  void session.list.value;
  void session.meta.value;
  const { turns } = session.view;
  const box = T2(null);
  const column = T2(null);
  const [away, setAway] = d2(false);
  const [news, setNews] = d2(0);
  const [loadingOlder, setLoadingOlder] = d2(false);
  const seen2 = T2(0);
  A2(() => {
    const count3 = () => session.view.turns.reduce((n3, turn) => n3 + turn.parts.length, 0);
    const mine = follower = new Follower(box.current, column.current, {
      onFollow: (following) => {
        seen2.current = count3();
        setNews(0);
        setAway(!following);
      },
      onGrow: () => {
        if (!mine.following) setNews(Math.max(0, count3() - seen2.current));
      },
      onScroll: () => void older()
    });
    if (message) mine.following = false;
    const stop2 = mine.start();
    return () => {
      stop2();
      if (follower === mine) follower = null;
    };
  }, [session]);
  const loading = T2(false);
  const older = async () => {
    const node = box.current;
    if (!node || loading.current || !session.feed.older || node.scrollTop > node.clientHeight * SCREENS_AHEAD) return;
    loading.current = true;
    setLoadingOlder(true);
    await session.feed.readOlder().catch(() => void 0);
    loading.current = false;
    setLoadingOlder(false);
  };
  A2(() => {
    void older();
  }, [session, turns.length]);
  const onClick = (e4) => {
    if (e4.target instanceof Element && e4.target.closest("summary, .small")) follower?.hold();
    onCodeClick(e4);
  };
  const shown = threadTurns(turns);
  useKeptView(shown[0]?.id ?? "", box);
  A2(() => {
    if (message) void reveal(session, message);
  }, [session, message]);
  const entries = outgoing.value.filter((e4) => e4.chat_id === session.id);
  const have = new Set(turns.map(keyOf));
  const waiting3 = entries.filter((e4) => !have.has(e4.client_message_id));
  const rows = [
    ...shown.map((turn, i4) => /* @__PURE__ */ a4(TurnItem, { session, turn, last: i4 === shown.length - 1 }, keyOf(turn))),
    ...waiting3.map((entry) => /* @__PURE__ */ a4(TurnItem, { session, entry, last: false }, entry.client_message_id))
  ];
  return /* @__PURE__ */ a4("div", { class: "thread-frame", children: [
    /* @__PURE__ */ a4("div", { class: "thread", id: "thread", "data-busy": isBusy(session.view.state), tabIndex: 0, role: "region", "aria-label": t2.thread.label, ref: box, onClick, children: /* @__PURE__ */ a4("div", { class: "col", ref: column, children: [
      loadingOlder && /* @__PURE__ */ a4("p", { class: "quiet centred", children: t2.thread.older }),
      rows,
      rows.length === 0 && /* @__PURE__ */ a4("p", { class: "quiet centred", children: t2.thread.empty })
    ] }) }),
    away && /* @__PURE__ */ a4("button", { type: "button", class: "to-end", onClick: () => follower?.toEnd(), children: t2.thread.down(news) })
  ] });
}
function useKeptView(first, box) {
  const last2 = T2({ first, anchor: null, top: 0 });
  const node = box.current;
  if (node && last2.current.first !== first) {
    const edge = node.getBoundingClientRect().top;
    const anchor = [...node.querySelectorAll(".turn-item")].find((c4) => c4.getBoundingClientRect().bottom > edge) ?? null;
    last2.current = { first, anchor, top: anchor?.getBoundingClientRect().top ?? 0 };
    node.style.setProperty("overflow-anchor", "none");
  }
  F2(() => {
    const { anchor, top } = last2.current;
    if (!node || !anchor) return;
    if (anchor.isConnected && !follower?.following) node.scrollTop += anchor.getBoundingClientRect().top - top;
    last2.current.anchor = null;
    requestAnimationFrame(() => node.style.removeProperty("overflow-anchor"));
  }, [first]);
}
async function reveal(session, message) {
  const holds = () => session.view.turns.find((turn2) => turn2.user?.id === message || turn2.answer_id === message || turn2.parts.some((p5) => p5.kind === "steer" && p5.message_id === message));
  for (let page = 0; page < MAX_PAGES_FOR_LINK && !holds() && session.feed.older; page++) await session.feed.readOlder();
  const turn = holds();
  if (!turn) {
    follower?.toEnd();
    return;
  }
  await new Promise((done) => setTimeout(done, 60));
  const node = document.getElementById(`m-${message}`) ?? document.querySelector(`[data-turn="${CSS.escape(turn.id)}"]`);
  follower?.letGo();
  node?.scrollIntoView({ block: "start" });
  node?.classList.add("marked");
  setTimeout(() => node?.classList.remove("marked"), MARK_MS);
}
function moveRequest(step) {
  const box = document.getElementById("thread");
  if (!box) return;
  const requests = [...box.querySelectorAll(".user")];
  const edge = box.getBoundingClientRect().top + 8;
  const at2 = requests.indexOf(document.activeElement);
  const next = at2 !== -1 ? requests[at2 + step] : step < 0 ? requests.findLast((r4) => r4.getBoundingClientRect().top < edge) : requests.find((r4) => r4.getBoundingClientRect().top > edge);
  if (!next) return;
  follower?.letGo();
  next.scrollIntoView({ block: "start" });
  next.focus({ preventScroll: true });
}

// app/model/slash.ts
var COMMANDS = ["model"];
function commandOf(text3) {
  const trimmed = text3.trim();
  const model = /^\/model(?:\s+([\s\S]*))?$/i.exec(trimmed);
  if (model) return { kind: "model", name: (model[1] ?? "").trim() };
  const begun = /^\/([a-z]*)$/i.exec(trimmed)?.[1]?.toLowerCase();
  const command = begun === void 0 ? void 0 : COMMANDS.find((c4) => c4.startsWith(begun));
  return command ? { kind: "complete", text: `/${command} ` } : null;
}
function findPreset(presets2, name) {
  const exact = presets2.find((p5) => p5.name === name);
  if (exact) return exact;
  const wanted = name.toLowerCase();
  for (const field2 of ["name", "model"]) {
    const fitting = presets2.filter((p5) => p5[field2].toLowerCase() === wanted);
    if (fitting.length > 0) return fitting.length === 1 ? fitting[0] : void 0;
  }
  return void 0;
}
function hintsFor(text3, presets2) {
  if (text3.includes("\n")) return [];
  const begun = /^\/([a-z]*)$/i.exec(text3)?.[1]?.toLowerCase();
  if (begun !== void 0) return COMMANDS.filter((c4) => c4.startsWith(begun)).map((name2) => ({ kind: "command", name: name2, text: `/${name2} ` }));
  const name = /^\/model\s+(.*)$/i.exec(text3)?.[1]?.trim().toLowerCase();
  if (name === void 0) return [];
  return presets2.filter((p5) => `${p5.name} ${p5.model} ${p5.provider}`.toLowerCase().includes(name)).map((preset) => ({ kind: "preset", preset, text: `/model ${preset.name}` }));
}

// app/model/types.ts
var ACCESSES = ["ask", "workspace", "full"];

// app/model/merge-patch.ts
var isObject = (v4) => typeof v4 === "object" && v4 !== null && !Array.isArray(v4);
function inverse(before, patch2) {
  if (before === void 0) return null;
  if (!isObject(patch2) || !isObject(before)) return before;
  return Object.fromEntries(Object.entries(patch2).map(([key2, change2]) => [key2, inverse(before[key2], change2)]));
}
function difference(before, after) {
  if (!isObject(before) || !isObject(after)) return JSON.stringify(before) === JSON.stringify(after) ? void 0 : after;
  const out = {};
  for (const key2 of Object.keys(before)) if (!(key2 in after)) out[key2] = null;
  for (const [key2, value] of Object.entries(after)) {
    const change2 = key2 in before ? difference(before[key2], value) : value;
    if (change2 !== void 0) out[key2] = change2;
  }
  return Object.keys(out).length > 0 ? out : void 0;
}

// app/state/settings.ts
var settings = y3(null);
var settingsFailed = y3(false);
var saved = y3(null);
async function readSettings() {
  try {
    settings.value = await api.settings();
    settingsFailed.value = false;
  } catch (error2) {
    describe(error2);
    settingsFailed.value = settings.peek() === null;
  }
}
async function save(patch2, place) {
  saved.value = null;
  const before = settings.peek();
  try {
    settings.value = await api.patchSettings(patch2);
    saved.value = { place, ...before && !("providers" in patch2) && { undo: inverse(before, patch2) } };
    announce(t2.settings.saved);
    await readPresets();
    void readSetup();
    return null;
  } catch (error2) {
    const { detail } = describe(error2);
    return { detail: plain(detail), path: error2 instanceof ApiError ? error2.path : "" };
  }
}
async function undo() {
  const last2 = saved.peek();
  if (!last2?.undo) return null;
  const trouble = await save(last2.undo, last2.place);
  if (trouble === null) saved.value = { place: last2.place };
  return trouble;
}
var plain = (detail) => detail.replace(/^.*?, line \d+: (?:`[^`]*` )?/, "").replace(/^[a-z_]+\.\S+: /, "");

// app/views/access-choice.tsx
function AccessChoice({ session, onChosen }) {
  void session?.meta.value;
  const [asked3, setAsked] = d2(false);
  A2(() => {
    if (!settings.peek()) void readSettings();
  }, []);
  const a5 = t2.access;
  const current = session ? session.view.access : newAccess.value;
  const configured = settings.value?.agent.access;
  const choose = async (access) => {
    if (await chooseAccess(access) && session) onChosen(a5.chosen(access ? a5.modes[access] : a5.configured(configured ? a5.modes[configured] : "")));
  };
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(
      "select",
      {
        class: current === "full" ? "quiet-select full-access" : "quiet-select",
        "aria-label": a5.label,
        title: current ? a5.notes[current] : configured && a5.notes[configured],
        value: current ?? "",
        onChange: (e4) => {
          const access = ACCESSES.find((m5) => m5 === e4.currentTarget.value) ?? null;
          e4.currentTarget.value = current ?? "";
          if (access === "full") setAsked(true);
          else void choose(access);
        },
        children: [
          /* @__PURE__ */ a4("option", { value: "", children: a5.configured(configured ? a5.modes[configured] : "") }),
          ACCESSES.map((m5) => /* @__PURE__ */ a4("option", { value: m5, children: a5.modes[m5] }, m5))
        ]
      }
    ),
    asked3 && /* @__PURE__ */ a4(Dialog, { title: a5.confirm, onClose: () => setAsked(false), children: [
      /* @__PURE__ */ a4("p", { children: a5.fullMeans }),
      /* @__PURE__ */ a4("ul", { class: "bullets", children: a5.fullPoints.map((point) => /* @__PURE__ */ a4("li", { children: point }, point)) }),
      /* @__PURE__ */ a4("div", { class: "row", children: [
        /* @__PURE__ */ a4("button", { type: "button", class: "go", onClick: () => {
          setAsked(false);
          void choose("full");
        }, children: a5.give }),
        /* @__PURE__ */ a4("button", { type: "button", class: "line", "data-first": true, onClick: () => setAsked(false), children: t2.cancel })
      ] })
    ] })
  ] });
}

// app/views/model-choice.tsx
function ModelChoice({ session }) {
  void session?.meta.value;
  const list2 = presets.value;
  if (list2.length === 0) return /* @__PURE__ */ a4("a", { class: "button quiet-button", href: "/settings/models", children: t2.composer.noModel });
  const current = presetOf(session ? session.view.preset : newPreset.value)?.name ?? "";
  const twice = (q3) => list2.filter((p5) => p5.model === q3.model && p5.provider === q3.provider).length > 1;
  return /* @__PURE__ */ a4("select", { class: "quiet-select", "aria-label": t2.composer.model, value: current, onChange: (e4) => void choosePreset(e4.currentTarget.value), children: list2.map((p5) => /* @__PURE__ */ a4("option", { value: p5.name, children: [
    p5.is_demo ? p5.model === "demo" ? t2.composer.demo : `${p5.model} (${t2.composer.demo})` : `${p5.model} · ${p5.provider}`,
    twice(p5) ? ` (${p5.name})` : ""
  ] }, p5.name)) });
}

// app/views/slash-hints.tsx
var typed = y3("");
var closed = y3("");
var at = y3(-1);
var hints = O2(() => typed.value === "" || typed.value === closed.value ? [] : hintsFor(typed.value, presets.value));
function noteTyped(text3) {
  const next = text3.startsWith("/") ? text3 : "";
  if (next === typed.peek()) return;
  typed.value = next;
  closed.value = "";
  at.value = -1;
}
function hintKey(e4, take) {
  const list2 = hints.peek();
  if (list2.length === 0 || e4.isComposing || e4.ctrlKey || e4.metaKey || e4.altKey || e4.shiftKey) return false;
  const step = e4.key === "ArrowDown" ? 1 : e4.key === "ArrowUp" ? -1 : 0;
  if (step !== 0) at.value = (Math.max(at.peek(), step > 0 ? -1 : 0) + step + list2.length) % list2.length;
  else if (e4.key === "Escape") closed.value = typed.peek();
  else if (e4.key === "Tab") take(list2[Math.max(0, at.peek())].text, false);
  else if (e4.key === "Enter" && at.peek() >= 0) take(list2[at.peek()].text, list2[at.peek()].kind === "preset");
  else return false;
  e4.preventDefault();
  e4.stopPropagation();
  return true;
}
function describeField(field2) {
  return x2(() => {
    const shown = hints.value.length > 0;
    const set = (name, value) => {
      if (value === null) field2.removeAttribute(name);
      else field2.setAttribute(name, value);
    };
    set("aria-autocomplete", shown ? "list" : null);
    set("aria-controls", shown ? "hints" : null);
    set("aria-activedescendant", shown && at.value >= 0 ? `hint-${at.value}` : null);
  });
}
function Hints({ take }) {
  const list2 = hints.value;
  if (list2.length === 0) return null;
  return /* @__PURE__ */ a4("ul", { class: "hints", id: "hints", role: "listbox", "aria-label": t2.slash.label, children: list2.map((hint, i4) => /* @__PURE__ */ a4("li", { id: `hint-${i4}`, role: "option", class: "hint", "aria-selected": i4 === at.value, onMouseDown: (e4) => e4.preventDefault(), onClick: () => take(hint.text, hint.kind === "preset"), children: hint.kind === "command" ? /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("code", { children: [
      "/",
      hint.name
    ] }),
    /* @__PURE__ */ a4("span", { class: "quiet", children: t2.slash.commands[hint.name] })
  ] }) : /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("code", { children: hint.preset.name }),
    /* @__PURE__ */ a4("span", { class: "quiet", children: [
      hint.preset.model,
      " · ",
      hint.preset.provider,
      hint.preset.is_default && ` · ${t2.settings.default}`
    ] })
  ] }) }, hint.text)) });
}

// app/views/waiting.tsx
function waitingIn(session) {
  void session.meta.value;
  void session.list.value;
  const turn = session.view.turns.find(isLive);
  return turn ? pendingOf(turn).length : 0;
}
function WaitingLine() {
  const session = open.value;
  const n3 = session ? waitingIn(session) : 0;
  if (n3 === 0) return null;
  return /* @__PURE__ */ a4("p", { class: anyInView.value ? "waiting-line seen" : "waiting-line", children: [
    /* @__PURE__ */ a4("span", { class: "dot wait", "aria-hidden": "true" }),
    n3 > 1 ? t2.approval.several(n3) : t2.approval.waiting,
    /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: show2, children: t2.approval.show })
  ] });
}
function HeadState({ session }) {
  return waitingIn(session) > 0 ? /* @__PURE__ */ a4("span", { class: "state", children: [
    /* @__PURE__ */ a4("span", { class: "dot wait", "aria-hidden": "true" }),
    t2.sidebar.waiting
  ] }) : null;
}
function show2() {
  const card = document.querySelector(".approval");
  if (!card) return;
  follower?.letGo();
  card.scrollIntoView({ block: "center" });
  card.focus({ preventScroll: true });
}

// app/views/composer.tsx
var DRAFT_MS = 300;
var suggestion = y3("");
var focusComposer = y3(0);
var length = y3(0);
var said = y3(null);
var field = null;
var draftTimer;
function setText(text3, caret = text3.length) {
  if (!field) return;
  field.value = text3;
  field.setSelectionRange(caret, caret);
  noteLength();
  fit();
}
function noteLength() {
  length.value = field?.value.trim() === "" ? 0 : field?.value.length ?? 0;
  noteTyped(field?.value ?? "");
}
function fit() {
  if (!field || CSS.supports("field-sizing", "content")) return;
  field.style.setProperty("height", "auto");
  field.style.setProperty("height", `${field.scrollHeight}px`);
}
function Composer({ chat }) {
  const key2 = chat ?? NEW;
  const ref = T2(null);
  const justComposed = T2(false);
  F2(() => {
    field = ref.current;
    const draft = waitingText(key2);
    setText(draft.text, draft.caret);
    const keep = () => {
      clearTimeout(draftTimer);
      if (field && !editing.peek()) saveDraft(key2, field.value, field.selectionStart);
    };
    addEventListener("pagehide", keep);
    said.value = null;
    const stopDescribing = describeField(ref.current);
    return () => {
      removeEventListener("pagehide", keep);
      stopDescribing();
      keep();
      editing.value = null;
    };
  }, [key2]);
  A2(() => {
    if (chat === null && matchMedia("(pointer: fine)").matches && document.activeElement === document.body) field?.focus();
  }, []);
  A2(() => {
    if (!suggestion.value || !field || field.value) return;
    setText(suggestion.value);
    suggestion.value = "";
  }, [suggestion.value, key2]);
  A2(() => {
    if (focusComposer.value) field?.focus();
  }, [focusComposer.value]);
  A2(() => {
    if (!handover.value || !field) return;
    setText(field.value ? `${handover.value.text}
${field.value}` : handover.value.text);
    handover.value = null;
    field.focus();
  }, [handover.value]);
  A2(() => {
    if (!editing.value) return;
    setText(editing.value.content);
    field?.focus();
  }, [editing.value]);
  const onInput = () => {
    said.value = null;
    noteLength();
    fit();
    if (editing.peek()) return;
    clearTimeout(draftTimer);
    draftTimer = setTimeout(() => {
      if (field) saveDraft(key2, field.value, field.selectionStart);
    }, DRAFT_MS);
  };
  const onKeyDown = (e4) => {
    if (justComposed.current && e4.key === "Enter") return;
    if (hintKey(e4, takeHint)) return;
    const action = composerAction(e4, sendKey.peek(), field?.value === "" && !editing.peek(), busyNow());
    if (action === null || action === "newline") return;
    if (action === "edit_last") {
      if (editLast()) e4.preventDefault();
      return;
    }
    e4.preventDefault();
    submit(action === "steer" ? "steer" : "auto");
  };
  const onCompositionEnd = () => {
    justComposed.current = true;
    setTimeout(() => {
      justComposed.current = false;
    });
  };
  return /* @__PURE__ */ a4("footer", { class: "foot", children: [
    /* @__PURE__ */ a4(WaitingLine, {}),
    /* @__PURE__ */ a4(Queue, {}),
    editing.value && /* @__PURE__ */ a4("p", { class: "editing", children: [
      t2.composer.editing,
      /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: leaveEdit, children: t2.composer.leaveEdit })
    ] }),
    /* @__PURE__ */ a4("form", { class: "composer", onSubmit: (e4) => {
      e4.preventDefault();
      submit("auto");
    }, children: [
      /* @__PURE__ */ a4("label", { class: "visually-hidden", for: "message", children: t2.composer.label }),
      /* @__PURE__ */ a4(
        "textarea",
        {
          id: "message",
          ref,
          rows: 2,
          placeholder: t2.composer.placeholder,
          "aria-describedby": "composer-note",
          dir: "auto",
          enterkeyhint: "send",
          onInput,
          onKeyDown,
          onCompositionEnd
        }
      ),
      /* @__PURE__ */ a4(Hints, { take: takeHint }),
      /* @__PURE__ */ a4(Bar, {})
    ] })
  ] });
}
function busyNow() {
  const view = open.peek()?.view;
  return view !== void 0 && (isBusy(view.state) || view.turns.some(isLive));
}
function leaveEdit() {
  editing.value = null;
  const draft = waitingText(open.peek()?.id ?? NEW);
  setText(draft.text, draft.caret);
}
function editLast() {
  if (busyNow()) return false;
  const last2 = open.peek()?.view.turns.findLast((turn) => turn.user)?.user;
  if (last2) editing.value = last2;
  return last2 !== void 0;
}
function takeHint(text3, run3) {
  setText(text3);
  field?.focus();
  if (run3) submit("auto");
}
async function run2(command, typed2) {
  if (command.kind === "complete") {
    setText(command.text);
    return;
  }
  if (command.name === "") {
    clear();
    modelPicker.value = {};
    return;
  }
  const preset = findPreset(presets.peek(), command.name);
  if (!preset) {
    said.value = { text: t2.slash.unknownModel(command.name, presets.peek().map((p5) => p5.name)), failed: true };
    return;
  }
  if (!await choosePreset(preset.name) || field?.value !== typed2) return;
  clear();
  said.value = { text: t2.slash.chosen(preset.model, preset.provider) };
}
function clear() {
  clearTimeout(draftTimer);
  if (editing.peek()) {
    leaveEdit();
    return;
  }
  setText("");
  saveDraft(open.peek()?.id ?? NEW, "");
}
function submit(mode) {
  const text3 = field?.value ?? "";
  const command = commandOf(text3);
  if (command) {
    void run2(command, text3);
    return;
  }
  if (text3.trim() === "" || [...text3].length > limits.peek().max_message_chars) return;
  clearTimeout(draftTimer);
  send2(text3, mode);
  setText("");
  follower?.toEnd();
}
function Bar() {
  const session = open.value;
  void session?.meta.value;
  void session?.list.value;
  const busy = busyNow();
  const over = length.value - limits.value.max_message_chars;
  const empty = length.value === 0;
  const gone = gonePreset.value;
  const instead = gone === null ? void 0 : presetOf(null);
  return /* @__PURE__ */ a4($, { children: [
    gone !== null && /* @__PURE__ */ a4("p", { class: "composer-note gone", role: "status", children: instead ? t2.composer.modelGone(gone, `${instead.model} · ${instead.provider}`) : t2.composer.modelGoneNone(gone) }),
    /* @__PURE__ */ a4("p", { class: said.value ? `composer-note ${said.value.failed ? "failed" : "quiet"}` : "visually-hidden", role: "status", children: said.value?.text }),
    /* @__PURE__ */ a4("p", { id: "composer-note", class: over > 0 ? "composer-note failed" : "visually-hidden", children: over > 0 ? t2.composer.tooLong(count(over)) : busy ? t2.composer.hint : "" }),
    /* @__PURE__ */ a4("div", { class: "tools", children: [
      /* @__PURE__ */ a4(AccessChoice, { session, onChosen: (text3) => {
        said.value = { text: text3 };
      } }),
      /* @__PURE__ */ a4("span", { class: "sp" }),
      /* @__PURE__ */ a4(ModelChoice, { session }),
      busy && !empty && /* @__PURE__ */ a4("button", { type: "button", class: "line", title: "Ctrl Enter", onClick: () => submit("steer"), children: t2.composer.steer }),
      busy ? /* @__PURE__ */ a4($, { children: [
        !empty && /* @__PURE__ */ a4("button", { type: "submit", class: "line", children: t2.composer.queue }),
        /* @__PURE__ */ a4("button", { type: "button", class: "go", title: "Ctrl .", onClick: stop, children: t2.composer.stop })
      ] }) : /* @__PURE__ */ a4("button", { type: "submit", class: "go", "aria-disabled": empty || over > 0, children: t2.composer.send })
    ] })
  ] });
}
function Queue() {
  const session = open.value;
  if (!session) return null;
  void session.list.value;
  const queued = queuedTurns(session.view.turns);
  if (queued.length === 0) return null;
  return /* @__PURE__ */ a4("ol", { class: "queue", children: queued.map((turn, i4) => /* @__PURE__ */ a4("li", { class: "chip", children: [
    /* @__PURE__ */ a4(Icon, { name: "chevron" }),
    /* @__PURE__ */ a4("b", { children: t2.composer.queued(i4 + 1) }),
    " ",
    /* @__PURE__ */ a4("span", { class: "chip-text", dir: "auto", children: turn.user?.content })
  ] }, turn.id)) });
}

// app/views/title.ts
var seen = /* @__PURE__ */ new Map();
function titleOf(id2, title) {
  if (title) return title;
  const session = open.value?.id === id2 ? open.value : null;
  void session?.list.value;
  const request = session?.feed.older ? void 0 : session?.view.turns.find((turn) => turn.user)?.user;
  const text3 = request?.content ?? outgoing.value.find((e4) => e4.chat_id === id2)?.content ?? "";
  const words = firstWords(text3);
  if (words) seen.set(id2, words);
  return words || seen.get(id2) || t2.sidebar.untitled;
}

// app/views/keys-help.tsx
var helpShown = y3(false);
function KeysHelp() {
  if (!helpShown.value) return null;
  return /* @__PURE__ */ a4(Dialog, { title: t2.keys.title, onClose: () => {
    helpShown.value = false;
  }, children: /* @__PURE__ */ a4("dl", { class: "keys", children: t2.keys.list.map(([keys, what]) => /* @__PURE__ */ a4("div", { children: [
    /* @__PURE__ */ a4("dt", { children: /* @__PURE__ */ a4("kbd", { children: keys }) }),
    /* @__PURE__ */ a4("dd", { children: what })
  ] }, keys)) }) });
}

// app/model/marks.ts
function pieces2(text3, marks) {
  const letters = [...text3];
  const out = [];
  let at2 = 0;
  for (const [start2, length2] of [...marks].sort((a5, b5) => a5[0] - b5[0])) {
    if (start2 < at2 || length2 <= 0) continue;
    if (start2 > at2) out.push({ text: letters.slice(at2, start2).join(""), marked: false });
    out.push({ text: letters.slice(start2, start2 + length2).join(""), marked: true });
    at2 = start2 + length2;
  }
  if (at2 < letters.length) out.push({ text: letters.slice(at2).join(""), marked: false });
  return out.filter((p5) => p5.text !== "");
}

// app/views/search.tsx
var searchShown = y3(false);
var WAIT_MS = 120;
var RECENT = 8;
var hitsOf = (r4) => [
  ...r4.sessions.map((s4) => ({ key: s4.session_id, path: sessionPath(s4.session_id), group: "sessions", title: s4.title, titleMarks: s4.marks })),
  ...r4.messages.map((m5) => ({ key: m5.message_id, path: sessionPath(m5.session_id, m5.message_id), group: "messages", title: m5.title, titleMarks: [], snippet: m5.snippet, marks: m5.marks }))
];
var recentHits = () => (sessions.peek() ?? []).slice(0, RECENT).map((s4) => ({ key: s4.id, path: sessionPath(s4.id), group: "recent", title: s4.title, titleMarks: [] }));
function SearchDialog() {
  return searchShown.value ? /* @__PURE__ */ a4(Dialog, { title: t2.search.title, class: "search", onClose: () => {
    searchShown.value = false;
  }, children: /* @__PURE__ */ a4(Search, {}) }) : null;
}
function Search() {
  const [query2, setQuery] = d2("");
  const [hits, setHits] = d2(recentHits);
  const [state, setState] = d2("idle");
  const [at2, setAt] = d2(0);
  A2(() => {
    const q3 = query2.trim();
    setAt(0);
    if (q3 === "") {
      setHits(recentHits());
      setState("idle");
      return void 0;
    }
    const stop2 = new AbortController();
    const timer2 = setTimeout(() => {
      api.search(q3, stop2.signal).then(
        (r4) => {
          const found = hitsOf(r4);
          setHits(found);
          setState(found.length ? "idle" : "none");
        },
        () => {
          if (!stop2.signal.aborted) {
            setHits([]);
            setState("failed");
          }
        }
      );
    }, WAIT_MS);
    return () => {
      stop2.abort();
      clearTimeout(timer2);
    };
  }, [query2]);
  const open3 = (path) => {
    searchShown.value = false;
    go(path);
  };
  const onKeyDown = (e4) => {
    if (e4.isComposing) return;
    const step = e4.key === "ArrowDown" ? 1 : e4.key === "ArrowUp" ? -1 : 0;
    if (step) {
      e4.preventDefault();
      setAt(Math.max(0, Math.min(hits.length - 1, at2 + step)));
    }
    const hit = hits[at2];
    if (e4.key === "Enter" && hit) {
      e4.preventDefault();
      open3(hit.path);
    }
  };
  const start2 = () => {
    suggestion.value = query2.trim();
    open3("/");
    focusComposer.value++;
  };
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(
      "input",
      {
        "data-first": true,
        type: "search",
        class: "search-field",
        placeholder: t2.search.placeholder,
        "aria-label": t2.search.placeholder,
        value: query2,
        dir: "auto",
        role: "combobox",
        list: void 0,
        "aria-expanded": hits.length > 0,
        "aria-controls": "hits",
        "aria-activedescendant": hits[at2] ? `hit-${at2}` : void 0,
        onInput: (e4) => setQuery(e4.currentTarget.value),
        onKeyDown
      }
    ),
    /* @__PURE__ */ a4("p", { class: "visually-hidden", role: "status", children: state === "none" ? t2.search.none(query2) : query2 ? t2.search.results(hits.length) : "" }),
    /* @__PURE__ */ a4("div", { id: "hits", role: "listbox", "aria-label": t2.search.title, class: "hits", children: hits.map((hit, i4) => /* @__PURE__ */ a4($, { children: [
      hits[i4 - 1]?.group !== hit.group && /* @__PURE__ */ a4("div", { class: "caps", role: "presentation", children: t2.search[hit.group] }, hit.group),
      /* @__PURE__ */ a4("a", { id: `hit-${i4}`, role: "option", "aria-selected": i4 === at2, tabIndex: -1, class: "hit", href: hit.path, onMouseMove: () => setAt(i4), onClick: () => {
        searchShown.value = false;
      }, children: [
        /* @__PURE__ */ a4("span", { class: "clip", dir: "auto", children: /* @__PURE__ */ a4(Marked, { text: hit.title || t2.sidebar.untitled, marks: hit.titleMarks }) }),
        hit.snippet !== void 0 && /* @__PURE__ */ a4("span", { class: "snippet", dir: "auto", children: /* @__PURE__ */ a4(Marked, { text: hit.snippet, marks: hit.marks ?? [] }) })
      ] }, hit.key)
    ] })) }),
    state === "none" && /* @__PURE__ */ a4("p", { class: "pad", children: [
      t2.search.none(query2),
      " ",
      /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: start2, children: t2.search.startWith })
    ] }),
    state === "failed" && /* @__PURE__ */ a4("p", { class: "pad", role: "alert", children: t2.search.failed })
  ] });
}
function Marked({ text: text3, marks }) {
  return /* @__PURE__ */ a4($, { children: pieces2(text3, marks).map((p5, i4) => p5.marked ? /* @__PURE__ */ a4("mark", { children: p5.text }, i4) : p5.text) });
}

// app/model/groups.ts
var DAY_MS = 864e5;
function groupSessions(sessions2, now) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const groups = /* @__PURE__ */ new Map();
  for (const name of ["waiting", "pinned", "today", "yesterday", "week"]) groups.set(name, { name, sessions: [] });
  for (const session of sessions2) {
    const name = nameOf(session, midnight);
    const key2 = typeof name === "string" ? name : `${name.year}-${name.month}`;
    const group = groups.get(key2) ?? { name, sessions: [] };
    groups.set(key2, group);
    group.sessions.push(session);
  }
  return [...groups.values()].filter((g5) => g5.sessions.length > 0);
}
function nameOf(session, midnight) {
  if (session.state === "awaiting_approval") return "waiting";
  if (session.pinned) return "pinned";
  const at2 = session.last_message_at ?? session.created_at;
  if (at2 >= midnight) return "today";
  if (at2 >= midnight - DAY_MS) return "yesterday";
  if (at2 >= midnight - 6 * DAY_MS) return "week";
  const date2 = new Date(at2);
  return { year: date2.getFullYear(), month: date2.getMonth() };
}

// app/views/session-row.tsx
function SessionRow({ session, current }) {
  const title = titleOf(session.id, session.title);
  const [renaming, setRenaming] = d2(false);
  if (renaming) return /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4(RenameField, { session, onDone: () => setRenaming(false) }) });
  return /* @__PURE__ */ a4("li", { class: "session", children: [
    /* @__PURE__ */ a4("a", { href: sessionPath(session.id), "aria-current": current ? "page" : void 0, title, onKeyDown: (e4) => {
      if (e4.key === "F2") setRenaming(true);
    }, children: [
      /* @__PURE__ */ a4("span", { class: "t", dir: "auto", children: title }),
      /* @__PURE__ */ a4(StateMark, { session })
    ] }),
    /* @__PURE__ */ a4(RowMenu, { session, title, onRename: () => setRenaming(true) })
  ] });
}
function StateMark({ session }) {
  switch (session.state) {
    case "running":
      return /* @__PURE__ */ a4("span", { class: "dot", role: "img", "aria-label": t2.sidebar.running });
    case "awaiting_approval":
      return /* @__PURE__ */ a4("span", { class: "dot wait", role: "img", "aria-label": t2.sidebar.waiting });
    case "parked":
      return /* @__PURE__ */ a4("span", { class: "dot parked", role: "img", "aria-label": t2.sidebar.parked });
    default:
      return null;
  }
}
function RowMenu({ session, title, onRename }) {
  const [open3, setOpen] = d2(false);
  const box = T2(null);
  A2(() => {
    if (!open3) return void 0;
    box.current?.querySelector("[role=menuitem]")?.focus();
    const away = (e4) => {
      if (!box.current?.contains(e4.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
    };
  }, [open3]);
  const close2 = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  const onKeyDown = (e4) => {
    if (e4.key === "Escape") {
      e4.stopPropagation();
      close2();
      return;
    }
    const step = e4.key === "ArrowDown" ? 1 : e4.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    e4.preventDefault();
    const items = [...box.current?.querySelectorAll("[role=menuitem]") ?? []];
    items.at((items.indexOf(document.activeElement) + step) % items.length)?.focus();
  };
  const item = (label, action) => /* @__PURE__ */ a4("button", { type: "button", role: "menuitem", tabIndex: -1, onClick: () => {
    close2();
    action();
  }, children: label });
  return /* @__PURE__ */ a4("div", { class: "row-menu", ref: box, onKeyDown, children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "icon-button", "aria-label": t2.sidebar.menu(title), "aria-haspopup": "menu", "aria-expanded": open3, onClick: () => setOpen(!open3), children: /* @__PURE__ */ a4(Icon, { name: "more" }) }),
    open3 && /* @__PURE__ */ a4("div", { class: "menu", role: "menu", "aria-label": t2.sidebar.menu(title), children: [
      item(t2.sidebar.rename, onRename),
      item(session.pinned ? t2.sidebar.unpin : t2.sidebar.pin, () => void pin(session.id, !session.pinned)),
      item(t2.sidebar.delete, () => void remove(session.id, title))
    ] })
  ] });
}
function RenameField({ session, onDone }) {
  const field2 = T2(null);
  const done = T2(false);
  A2(() => field2.current?.select(), []);
  const finish2 = (save2) => {
    if (done.current) return;
    done.current = true;
    const title = field2.current?.value.trim() ?? "";
    if (save2 && title && title !== session.title) void rename(session.id, title);
    onDone();
  };
  return /* @__PURE__ */ a4(
    "input",
    {
      ref: field2,
      class: "rename",
      "aria-label": t2.sidebar.newTitle,
      value: session.title,
      dir: "auto",
      onBlur: () => finish2(true),
      onKeyDown: (e4) => {
        if (e4.isComposing) return;
        if (e4.key === "Enter") finish2(true);
        if (e4.key === "Escape") {
          e4.stopPropagation();
          finish2(false);
        }
      }
    }
  );
}

// app/views/sidebar.tsx
var drawer = y3(false);
function Sidebar() {
  const page = route.value;
  const nav = T2(null);
  A2(() => {
    drawer.value = false;
  }, [page]);
  A2(() => {
    if (drawer.value) nav.current?.querySelector("a, button")?.focus();
  }, [drawer.value]);
  return /* @__PURE__ */ a4($, { children: [
    drawer.value && /* @__PURE__ */ a4("button", { type: "button", class: "veil", "aria-label": t2.close, tabIndex: -1, onClick: () => {
      drawer.value = false;
    } }),
    /* @__PURE__ */ a4("nav", { class: drawer.value ? "rail shown" : "rail", id: "sidebar", "aria-label": t2.sidebar.label, ref: nav, onKeyDown: (e4) => {
      if (e4.key === "Escape") drawer.value = false;
    }, children: [
      /* @__PURE__ */ a4("div", { class: "brand", children: [
        /* @__PURE__ */ a4("a", { href: "/", class: "brand-link", children: [
          /* @__PURE__ */ a4("span", { class: "mark", "aria-hidden": "true" }),
          t2.app
        ] }),
        /* @__PURE__ */ a4("button", { type: "button", class: "icon-button not-phone", "aria-label": t2.sidebar.hide, title: "Ctrl B", onClick: toggleSidebar, children: /* @__PURE__ */ a4(Icon, { name: "menu" }) })
      ] }),
      /* @__PURE__ */ a4("a", { class: "new", href: "/", "aria-keyshortcuts": "Alt+N", children: [
        t2.sidebar.newSession,
        " ",
        /* @__PURE__ */ a4("kbd", { children: "Alt N" })
      ] }),
      /* @__PURE__ */ a4("ul", { class: "pages", children: [
        /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("button", { type: "button", class: "page", "aria-haspopup": "dialog", "aria-keyshortcuts": "Control+K", onClick: () => {
          searchShown.value = true;
        }, children: [
          /* @__PURE__ */ a4(Icon, { name: "search" }),
          t2.sidebar.search,
          /* @__PURE__ */ a4("kbd", { children: "Ctrl K" })
        ] }) }),
        /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { class: "page", href: "/settings/general", "aria-current": page.page === "settings" ? "page" : void 0, children: [
          /* @__PURE__ */ a4(Icon, { name: "settings" }),
          t2.sidebar.settings
        ] }) })
      ] }),
      /* @__PURE__ */ a4("div", { class: "sessions", children: /* @__PURE__ */ a4(SessionList, {}) }),
      /* @__PURE__ */ a4("div", { class: "rail-foot", children: [
        /* @__PURE__ */ a4("span", { class: `dot ${connection.value}`, "aria-hidden": "true" }),
        /* @__PURE__ */ a4("span", { role: "status", children: t2.connection[connection.value] }),
        /* @__PURE__ */ a4("button", { type: "button", class: "icon-button", "aria-label": t2.connection.keys, onClick: () => {
          helpShown.value = true;
        }, children: /* @__PURE__ */ a4(Icon, { name: "keys" }) })
      ] })
    ] })
  ] });
}
function SessionList() {
  const list2 = sessions.value;
  if (sessionsError.value) return /* @__PURE__ */ a4("p", { class: "quiet pad", children: [
    t2.sidebar.failed,
    " ",
    /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => void readSessions(), children: t2.retry })
  ] });
  if (list2 === null) return /* @__PURE__ */ a4("div", { class: "skeleton rows", "aria-hidden": "true", children: [
    /* @__PURE__ */ a4("i", {}),
    /* @__PURE__ */ a4("i", {}),
    /* @__PURE__ */ a4("i", {}),
    /* @__PURE__ */ a4("i", {}),
    /* @__PURE__ */ a4("i", {}),
    /* @__PURE__ */ a4("i", {})
  ] });
  if (list2.length === 0) return /* @__PURE__ */ a4("p", { class: "quiet pad", children: t2.sidebar.empty });
  const here2 = route.value.page === "session" ? route.value.id : "";
  return /* @__PURE__ */ a4($, { children: [
    groupSessions(list2, /* @__PURE__ */ new Date()).map((group) => /* @__PURE__ */ a4("section", { children: [
      /* @__PURE__ */ a4("h2", { children: nameOf2(group.name) }),
      /* @__PURE__ */ a4("ul", { children: group.sessions.map((s4) => /* @__PURE__ */ a4(SessionRow, { session: s4, current: s4.id === here2 }, s4.id)) })
    ] }, keyOf2(group.name))),
    moreSessions.value && /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => void readMoreSessions(), children: t2.sidebar.more })
  ] });
}
var keyOf2 = (name) => typeof name === "string" ? name : `${name.year}-${name.month}`;
var nameOf2 = (name) => typeof name === "string" ? t2.sidebar.group[name] : month(name.year, name.month);

// app/views/strips.tsx
var PATIENCE_MS = 1500;
function Strips() {
  return /* @__PURE__ */ a4("div", { class: "strips", children: [
    /* @__PURE__ */ a4(ConnectionStrip, {}),
    banner.value && /* @__PURE__ */ a4("p", { class: "strip err", role: "alert", children: [
      banner.value,
      /* @__PURE__ */ a4("button", { type: "button", class: "icon-button", "aria-label": t2.close, onClick: () => {
        banner.value = "";
      }, children: /* @__PURE__ */ a4(Icon, { name: "close" }) })
    ] }),
    deleted.value && /* @__PURE__ */ a4("p", { class: "strip", role: "status", children: [
      t2.sidebar.deleted(deleted.value.title),
      /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => void undoRemove(), children: t2.undo })
    ] })
  ] });
}
function ConnectionStrip() {
  const state = connection.value;
  const lost = state === "waiting" || state === "connecting";
  const [late, setLate] = d2(false);
  A2(() => {
    if (!lost) {
      setLate(false);
      return void 0;
    }
    const timer2 = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer2);
  }, [lost]);
  if (state === "signed_out") return /* @__PURE__ */ a4("p", { class: "strip warn", role: "status", children: [
    t2.connection.signedOut,
    /* @__PURE__ */ a4("a", { class: "button line", href: "/login", children: t2.connection.signIn })
  ] });
  if (state === "outdated") return /* @__PURE__ */ a4("p", { class: "strip", role: "status", children: [
    t2.connection.newVersion,
    /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => location.reload(), children: t2.reload })
  ] });
  if (!lost || !late) return null;
  return /* @__PURE__ */ a4("p", { class: "strip warn", role: "status", children: [
    t2.connection.lost,
    /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => socket.nudge(), children: t2.connection.reconnect })
  ] });
}

// app/views/home.tsx
var CARDS = 4;
var waits = (s4) => s4.state === "awaiting_approval";
function Home() {
  const list2 = sessions.value ?? [];
  const recent = [...list2.filter(waits), ...list2.filter((s4) => !waits(s4))].slice(0, CARDS);
  return /* @__PURE__ */ a4("div", { class: "home", children: [
    /* @__PURE__ */ a4("h2", { class: "question", children: t2.home.question }),
    recent.length > 0 && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h3", { class: "caps", children: t2.home.recent }),
      /* @__PURE__ */ a4("ul", { class: "cards", children: recent.map((s4) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { class: "card", href: sessionPath(s4.id), dir: "auto", children: [
        /* @__PURE__ */ a4("span", { class: "clip", children: s4.title || t2.sidebar.untitled }),
        /* @__PURE__ */ a4(StateMark, { session: s4 })
      ] }) }, s4.id)) })
    ] })
  ] });
}

// app/views/meter.tsx
var AMBER = 0.75;
var RED = 0.9;
function Meter({ session }) {
  void session.meta.value;
  void session.list.value;
  const [shown, show3] = d2(false);
  const context = contextOf(session.view.turns);
  if (!context) return null;
  const part = context.window ? Math.min(1, context.used / context.window) : null;
  const level = part === null ? "" : part >= RED ? "red" : part >= AMBER ? "amber" : "";
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: `meter ${level}`, title: t2.meter.label, "aria-haspopup": "dialog", onClick: () => show3(true), children: [
      part !== null && /* @__PURE__ */ a4("span", { class: "bar", role: "meter", "aria-label": t2.meter.label, "aria-valuenow": Math.round(part * 100), "aria-valuemin": 0, "aria-valuemax": 100, children: /* @__PURE__ */ a4("i", { ref: (n3) => {
        n3?.style.setProperty("width", `${part * 100}%`);
      } }) }),
      part !== null && context.window ? /* @__PURE__ */ a4($, { children: [
        percent(part),
        " · ",
        short(context.used),
        "/",
        short(context.window)
      ] }) : t2.meter.tokens(short(context.used))
    ] }),
    shown && /* @__PURE__ */ a4(Dialog, { title: t2.meter.title, onClose: () => show3(false), children: /* @__PURE__ */ a4(UsageTable, { turns: session.view.turns }) })
  ] });
}
function UsageTable({ turns }) {
  const used = turns.filter((turn) => turn.usage && turn.usage.input_tokens > 0);
  if (used.length === 0) return /* @__PURE__ */ a4("p", { class: "quiet", children: t2.meter.none });
  const priced = used.some((turn) => turn.usage?.cost_usd !== void 0);
  const sum = (field2) => used.reduce((n3, turn) => n3 + (turn.usage?.[field2] ?? 0), 0);
  const input = sum("input_tokens");
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("p", { class: "quiet", children: [
      t2.meter.cachedShare(percent(input > 0 ? sum("cached_tokens") / input : 0)),
      priced && /* @__PURE__ */ a4($, { children: [
        " · ",
        t2.meter.costSum(money(sum("cost_usd")))
      ] })
    ] }),
    /* @__PURE__ */ a4("div", { class: "table-wrap", tabIndex: 0, role: "region", "aria-label": t2.meter.title, children: /* @__PURE__ */ a4("table", { class: "usage", children: [
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "col", children: t2.meter.turn }),
        /* @__PURE__ */ a4("th", { scope: "col", children: t2.meter.input }),
        /* @__PURE__ */ a4("th", { scope: "col", children: t2.meter.cached }),
        /* @__PURE__ */ a4("th", { scope: "col", children: t2.meter.output }),
        /* @__PURE__ */ a4("th", { scope: "col", children: t2.meter.context }),
        priced && /* @__PURE__ */ a4("th", { scope: "col", children: t2.meter.cost })
      ] }) }),
      /* @__PURE__ */ a4("tbody", { children: used.map((turn) => /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "row", class: "clip", children: turn.user?.content.slice(0, 40) ?? turn.origin }),
        /* @__PURE__ */ a4("td", { children: count(turn.usage.input_tokens) }),
        /* @__PURE__ */ a4("td", { children: count(turn.usage.cached_tokens) }),
        /* @__PURE__ */ a4("td", { children: count(turn.usage.output_tokens) }),
        /* @__PURE__ */ a4("td", { children: count(turn.context_tokens ?? turn.usage.context_tokens ?? 0) }),
        priced && /* @__PURE__ */ a4("td", { children: turn.usage.cost_usd === void 0 ? "" : money(turn.usage.cost_usd) })
      ] }, turn.id)) }),
      /* @__PURE__ */ a4("tfoot", { children: /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "row", children: t2.usage.total }),
        /* @__PURE__ */ a4("td", { children: count(input) }),
        /* @__PURE__ */ a4("td", { children: count(sum("cached_tokens")) }),
        /* @__PURE__ */ a4("td", { children: count(sum("output_tokens")) }),
        /* @__PURE__ */ a4("td", {}),
        priced && /* @__PURE__ */ a4("td", { children: money(sum("cost_usd")) })
      ] }) })
    ] }) })
  ] });
}

// app/views/conversation.tsx
var FirstRun = ln(() => import("./pages.js").then((m5) => m5.FirstRun));
function Conversation({ id: id2, message }) {
  const session = id2 !== null && open.value?.id === id2 ? open.value : null;
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(Header, { session }),
    /* @__PURE__ */ a4(Strips, {}),
    /* @__PURE__ */ a4(Boundary, { children: id2 === null ? /* @__PURE__ */ a4(Start, {}) : session && /* @__PURE__ */ a4(Loaded, { session, message }) }),
    /* @__PURE__ */ a4(Composer, { chat: id2 })
  ] });
}
function Header({ session }) {
  void session?.meta.value;
  return /* @__PURE__ */ a4("header", { class: "head", children: [
    /* @__PURE__ */ a4(MenuButton, {}),
    /* @__PURE__ */ a4("h1", { dir: "auto", children: session ? titleOf(session.id, session.view.title) : t2.sidebar.newSession }),
    session && /* @__PURE__ */ a4(HeadState, { session }),
    session && /* @__PURE__ */ a4(Meter, { session })
  ] });
}
function MenuButton() {
  const waits2 = sessions.value?.some((s4) => s4.state === "awaiting_approval" && s4.id !== open.value?.id) === true;
  const label = waits2 ? t2.sidebar.openWaiting : t2.sidebar.open;
  const inside = /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(Icon, { name: "menu" }),
    waits2 && /* @__PURE__ */ a4("span", { class: "dot wait", "aria-hidden": "true" })
  ] });
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "icon-button menu-button only-phone", "aria-label": label, onClick: () => {
      drawer.value = true;
    }, children: inside }),
    !sidebarShown.value && /* @__PURE__ */ a4("button", { type: "button", class: "icon-button menu-button not-phone", "aria-label": label, title: "Ctrl B", onClick: toggleSidebar, children: inside })
  ] });
}
function Loaded({ session, message }) {
  switch (session.load.value) {
    case "ready":
      return /* @__PURE__ */ a4(Thread, { session, message }, session.id);
    case "loading":
      return /* @__PURE__ */ a4("div", { class: "thread skeleton", id: "thread", "aria-busy": "true", "aria-label": t2.thread.loading, role: "region", children: /* @__PURE__ */ a4("div", { class: "col", children: [
        /* @__PURE__ */ a4(Waiting, { id: session.id }),
        /* @__PURE__ */ a4("i", {}),
        /* @__PURE__ */ a4("i", {}),
        /* @__PURE__ */ a4("i", {})
      ] }) });
    case "missing":
      return /* @__PURE__ */ a4("div", { class: "thread", id: "thread", tabIndex: -1, children: /* @__PURE__ */ a4("div", { class: "col", children: [
        /* @__PURE__ */ a4("p", { children: t2.thread.missing }),
        /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { class: "button line", href: "/", children: t2.thread.goHome }) })
      ] }) });
    case "error":
      return /* @__PURE__ */ a4("div", { class: "thread", id: "thread", tabIndex: -1, children: /* @__PURE__ */ a4("div", { class: "col", children: [
        /* @__PURE__ */ a4(Waiting, { id: session.id }),
        /* @__PURE__ */ a4("p", { role: "alert", children: t2.thread.failed }),
        /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("button", { type: "button", class: "line", onClick: () => {
          session.load.value = "loading";
          void session.feed.read();
        }, children: t2.retry }) })
      ] }) });
  }
}
function Waiting({ id: id2 }) {
  return /* @__PURE__ */ a4($, { children: outgoing.value.filter((e4) => e4.chat_id === id2).map((e4) => /* @__PURE__ */ a4(TurnItem, { session: null, entry: e4, last: false }, e4.client_message_id)) });
}
function Start() {
  const unsent = outgoing.value.some((e4) => e4.chat_id === null);
  const needs = setup.value?.needs_setup === true;
  return /* @__PURE__ */ a4("div", { class: "thread", id: "thread", tabIndex: -1, children: /* @__PURE__ */ a4("div", { class: "col", children: [
    needs ? /* @__PURE__ */ a4(fn, { fallback: null, children: /* @__PURE__ */ a4(FirstRun, {}) }) : !unsent && /* @__PURE__ */ a4(Home, {}),
    /* @__PURE__ */ a4(Waiting, { id: null })
  ] }) });
}

export {
  $,
  Q,
  t2 as t,
  LANGUAGES,
  chooseLanguage,
  count,
  money,
  fineMoney,
  shortDay,
  longDay,
  percent,
  short,
  duration,
  d2 as d,
  A2 as A,
  T2 as T,
  P2 as P,
  f3 as f,
  x2 as x,
  ApiError,
  exportPath,
  api,
  boot,
  REASONING,
  SEND_KEYS,
  theme,
  reasoning,
  sendKey,
  sidebarShown,
  setTheme,
  setLanguage,
  setReasoning,
  setSendKey,
  toggleSidebar,
  isLive,
  isSettled,
  isBusy,
  answerText,
  firstWords,
  SECTIONS,
  route,
  sessionPath,
  go,
  leaveInspector,
  startRouter,
  serverVersion,
  sessions,
  open,
  presets,
  setup,
  mismatches,
  describe,
  readPresets,
  readSetup,
  start,
  verbOf,
  providerVerb,
  pendingOf,
  a4 as a,
  retryWords,
  switchWords,
  announcement,
  alarm,
  announce,
  editing,
  stop,
  fn,
  ln,
  Icon,
  Dialog,
  actionOf,
  ACCESSES,
  difference,
  settings,
  settingsFailed,
  saved,
  readSettings,
  save,
  undo,
  ModelPicker,
  copyText,
  Boundary,
  PRESET_FIELDS,
  formOf,
  check,
  settingsOf,
  renamePatch,
  removePatch,
  freeName,
  fieldOf,
  moved,
  LIMIT_ROWS,
  budgetForm,
  checkBudget,
  budgetPatch,
  limitAt,
  decideByKey,
  TextField,
  FieldWords,
  SelectField,
  focusProblem,
  INPUT_MODES,
  follower,
  moveRequest,
  suggestion,
  focusComposer,
  leaveEdit,
  titleOf,
  helpShown,
  KeysHelp,
  searchShown,
  SearchDialog,
  Sidebar,
  Strips,
  Conversation,
  MenuButton,
  ModelDialog,
  wordsOf
};
